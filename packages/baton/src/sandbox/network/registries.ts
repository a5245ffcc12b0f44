import { type HostRule, READ_METHODS, type Target } from '../../ports/network.ts'
import { withoutLogin } from './address.ts'
import { readCargoSettings } from './cargo-settings.ts'
import { mavenAddresses } from './maven-settings.ts'

/** Where the user's package managers download from. Read from the user's own files, never from a project's. */
export interface UserRegistryFiles {
  /** `~/.npmrc` */
  npm: string
  /** pip.conf of the user, then of the machine. */
  pip: string
  /** `~/.cargo/config.toml` */
  cargo: string
  /** What `go env -w` wrote. */
  go: string
  /** `~/.m2/settings.xml` */
  maven: string
  /** `~/.bundle/config` */
  bundler: string
  /** `~/.gemrc` */
  gem: string
  /** The environment that the user started the agent with. */
  env: Readonly<Record<string, string | undefined>>
}

export interface UserRegistries {
  rules: readonly HostRule[]
  /** The user's `.npmrc` without anything but registries. */
  npmrc: string
  /** Variables that name the user's registries to other tools, without logins. */
  environment: Readonly<Record<string, string>>
  /** Files with certificates that the user trusts for them. */
  certificates: readonly string[]
}

/** What a tool uses if the user's configuration names nothing else. */
const USUAL = {
  npm: ['https://registry.npmjs.org/', 'https://registry.yarnpkg.com/'],
  pip: ['https://pypi.org/', 'https://files.pythonhosted.org/'],
  cargo: ['https://index.crates.io/', 'https://static.crates.io/', 'https://crates.io/'],
  // Not the storage service behind it: anyone can have a bucket there.
  go: ['https://proxy.golang.org/', 'https://sum.golang.org/'],
  maven: ['https://repo.maven.apache.org/', 'https://repo1.maven.org/'],
  ruby: ['https://rubygems.org/', 'https://index.rubygems.org/'],
}

/** Where npm, yarn and pnpm ask which of a list of packages are known to be unsafe. */
const AUDITS = [
  '-/npm/v1/security/advisories/bulk',
  '-/npm/v1/security/audits',
  '-/npm/v1/security/audits/quick',
]

/** Settings of Go that list modules: which it downloads without a proxy, and which the checksum database does not know. */
const GO_MODULE_LISTS = ['GONOSUMDB', 'GONOPROXY', 'GOPRIVATE']

export function readUserRegistries(files: UserRegistryFiles): UserRegistries {
  const { env } = files
  const npm = readNpm(files.npm, env)
  const pip = [
    ...settingsOf(files.pip, /^(?:extra-)?index-url$/).flatMap(({ value }) => value.split(/\s+/)),
    ...[
      env['PIP_INDEX_URL'],
      env['PIP_EXTRA_INDEX_URL'],
      env['UV_INDEX_URL'],
      env['UV_DEFAULT_INDEX'],
    ].flatMap(value => value?.split(/\s+/) ?? []),
  ]
  const cargo = readCargoSettings(files.cargo)
  const goSetting = (name: string) =>
    env[name] ?? settingsOf(files.go, /^\w+$/).find(({ key }) => key === name)?.value
  const go = goSetting('GOPROXY')?.split(/[,|]/) ?? []
  const maven = mavenAddresses(files.maven)
  const ruby = [...`${files.bundler}\n${files.gem}`.matchAll(/https?:\/\/[^\s"']+/g)].map(([url]) => url)
  const named = { npm: npm.urls, pip, cargo: cargo.urls, go, maven, ruby }
  const rules = new Map<string, HostRule>()
  const add = (url: string, isUsers: boolean, tool: keyof typeof USUAL) => {
    const found = parseRegistry(url, env)
    if (!found) return
    const key = `${found.target.scheme}://${found.target.host}:${found.target.port}`
    const known = rules.get(key)
    const questions = tool === 'npm' ? AUDITS.map(path => `${found.path}${path}`) : []
    const login = found.authorization ? [{ path: found.path, authorization: found.authorization }] : []
    rules.set(key, {
      ...found.target,
      methods: READ_METHODS,
      isUsers: isUsers || known?.isUsers === true,
      questions: [...new Set([...(known?.questions ?? []), ...questions])],
      logins: [...(known?.logins ?? []), ...login, ...npm.loginsFor(found.target, found.path)],
    })
  }
  for (const tool of ['npm', 'pip', 'cargo', 'go', 'maven', 'ruby'] as const) {
    const own = named[tool].filter(url => parseRegistry(url, env))
    for (const url of own) add(url, true, tool)
    // A user with a registry of their own does not expect downloads from the usual one.
    if (own.length === 0 || (tool === 'npm' && !npm.hasDefault))
      for (const url of USUAL[tool]) add(url, false, tool)
  }
  const [index, ...more] = new Set(pip.flatMap(url => withoutLogin(url) ?? []))
  return {
    rules: [...rules.values()],
    npmrc: npm.text,
    environment: {
      ...(index ? { PIP_INDEX_URL: index, UV_DEFAULT_INDEX: index } : {}),
      ...(more.length > 0 ? { PIP_EXTRA_INDEX_URL: more.join(' ') } : {}),
      ...goEnvironment(goSetting),
    },
    certificates: [
      ...settingsOf(files.npm, /^cafile$/),
      ...settingsOf(files.pip, /^cert$/),
      ...cargo.certificates.map(value => ({ value })),
    ].map(({ value }) => value),
  }
}

/** Where Go downloads from inside, without logins. */
function goEnvironment(setting: (name: string) => string | undefined): Record<string, string> {
  const proxies = setting('GOPROXY')?.match(/[^,|]+[,|]?/g) ?? []
  const shown = proxies.flatMap(proxy => {
    const [, address = '', separator = ''] = /^(.*?)([,|]?)$/.exec(proxy) ?? []
    const kept = /^(?:direct|off)$/.test(address) ? address : withoutLogin(address)
    return kept ? [kept + separator] : []
  })
  // Its name, or its name with a key, and perhaps where it answers.
  const [database = '', at] = setting('GOSUMDB')?.split(' ') ?? []
  const answersAt = at === undefined ? '' : withoutLogin(at)
  const lists = GO_MODULE_LISTS.map(name => [name, setting(name)] as const)
  return Object.fromEntries([
    ...(shown.length > 0 ? [['GOPROXY', shown.join('').replace(/[,|]$/, '')]] : []),
    ...(/^[\w.+/=-]+$/.test(database) && answersAt !== undefined
      ? [['GOSUMDB', `${database} ${answersAt}`.trim()]]
      : []),
    ...lists.filter(([, value]) => value && /^[\w.,*?/~[\]-]+$/.test(value)),
  ])
}

interface Setting {
  key: string
  value: string
}

/** Lines such as `key = value`, as .npmrc, pip.conf and simple TOML have them. */
function settingsOf(text: string, name: RegExp): Setting[] {
  return text.split('\n').flatMap(line => {
    const match = /^\s*([^=#;\s[][^=]*?)\s*=\s*(.*?)\s*$/.exec(line)
    const [, key = '', raw = ''] = match ?? []
    return match && name.test(key) ? [{ key, value: raw.replace(/^(["'])(.*)\1$/, '$2') }] : []
  })
}

function readNpm(text: string, env: UserRegistryFiles['env']) {
  const expand = (value: string) => value.replace(/\$\{(\w+)\??\}/g, (all, name) => env[name] ?? all)
  const registries = settingsOf(text, /^(?:@[\w.~-]+:)?registry$/).map(({ key, value }) => ({
    key,
    value: expand(value),
  }))
  const fromEnvironment = Object.entries(env).flatMap(([name, value]) =>
    /^npm_config_registry$/i.test(name) && value ? [value] : [],
  )
  const logins = settingsOf(text, /^\/\/.+:(?:_authToken|_auth|username|_password)$/).map(
    ({ key, value }) => {
      const at = key.lastIndexOf(':')
      return { at: key.slice(2, at), what: key.slice(at + 1), value: expand(value) }
    },
  )
  return {
    urls: [...registries.map(({ value }) => value), ...fromEnvironment],
    hasDefault: registries.some(({ key }) => key === 'registry') || fromEnvironment.length > 0,
    text: registries
      .map(({ key, value }) => [key, withoutLogin(value)])
      .map(([key, url]) => (url ? `${key}=${url}\n` : ''))
      .join(''),
    loginsFor(target: Target, registryPath: string) {
      return [...new Set(logins.map(({ at }) => at))].flatMap(at => {
        const own = parseRegistry(`${target.scheme}://${at}`, env)
        if (!own || own.target.host !== target.host || own.target.port !== target.port) return []
        // Not for all of a server because of a shorter name than its registry's.
        const path = own.path.length > registryPath.length ? own.path : registryPath
        if (!path.startsWith(own.path)) return []
        const of = (what: string) => logins.find(login => login.at === at && login.what === what)?.value
        const [token, basic, user, password] = [
          of('_authToken'),
          of('_auth'),
          of('username'),
          of('_password'),
        ]
        const authorization = token
          ? `Bearer ${token}`
          : basic
            ? `Basic ${basic}`
            : user && password
              ? basicLogin(user, Buffer.from(password, 'base64').toString('utf8'))
              : undefined
        return authorization && /^[\x20-\x7e]+$/.test(authorization) ? [{ path, authorization }] : []
      })
    },
  }
}

const basicLogin = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** A registry's server and the path below which it is; undefined if the text is not an address. */
function parseRegistry(
  text: string,
  env: UserRegistryFiles['env'],
): { target: Target; path: string; authorization?: string } | undefined {
  const url = URL.parse(text.replace(/\$\{(\w+)\}/g, (all, name) => env[name] ?? all))
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const { username, password } = url
  return {
    target: {
      scheme,
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port),
    },
    path: url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`,
    ...(username
      ? { authorization: basicLogin(decodeURIComponent(username), decodeURIComponent(password)) }
      : {}),
  }
}
