import { X509Certificate } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { addressKind, mayConnect } from '../../src/adapters/proxy/addresses.ts'
import { createAuthority } from '../../src/adapters/proxy/certificate.ts'
import { loginFor, parseAuthority } from '../../src/adapters/proxy/host-rules.ts'
import { readRegistryFiles } from '../../src/adapters/proxy/user-files.ts'
import { rulesFromSettings } from '../../src/sandbox/network/host-settings.ts'
import { networkVariables } from '../../src/sandbox/network/inside-environment.ts'
import { readUserRegistries } from '../../src/sandbox/network/registries.ts'
import { insideSettings, type ToolSettings } from '../../src/sandbox/network/tool-settings.ts'
import { scratch } from '../world/scratch.ts'

const NONE = { npm: '', pip: '', cargo: '', go: '', maven: '', bundler: '', gem: '', env: {} }
const MIRROR = (url: string) =>
  `<settings><mirrors><mirror><id>m</id><url>${url}</url></mirror></mirrors></settings>`
const hostsOf = (files: Partial<typeof NONE & { env: Record<string, string> }>) =>
  readUserRegistries({ ...NONE, ...files }).rules.map(
    ({ scheme, host, port }) => `${scheme}://${host}:${port}`,
  )

describe('the registries of a user', () => {
  it('are the usual ones without any configuration, for reads only', () => {
    const { rules } = readUserRegistries(NONE)
    expect(rules.map(({ host }) => host)).toEqual(
      expect.arrayContaining([
        'registry.npmjs.org',
        'pypi.org',
        'index.crates.io',
        'proxy.golang.org',
        'repo.maven.apache.org',
        'rubygems.org',
      ]),
    )
    for (const rule of rules) expect(rule).toMatchObject({ methods: ['GET', 'HEAD'], isUsers: false })
  })

  test.each([
    ['.npmrc', { npm: 'registry=https://npm.corp.example/' }, 'npm.corp.example:443', 'registry.npmjs.org'],
    ['npm’s variable', { env: { npm_config_registry: 'http://r.example:4873' } }, 'r.example:4873', 'npmjs'],
    ['pip.conf', { pip: '[global]\nindex-url = https://py.example/simple' }, 'py.example:443', 'pypi.org'],
    ['pip’s variable', { env: { PIP_INDEX_URL: 'https://py.example/simple' } }, 'py.example:443', 'pypi.org'],
    ['Cargo', { cargo: '[source.x]\nregistry = "sparse+https://c.example/"' }, 'c.example:443', 'crates.io'],
    ['Go', { go: 'GOPROXY=https://go.example,direct' }, 'go.example:443', 'golang.org'],
    ['Maven', { maven: MIRROR('https://m.example/x') }, 'm.example:443', 'maven.apache.org'],
    [
      'an inline table of Cargo',
      { cargo: '[registries]\ncorp = { index = "sparse+https://c.example/" }' },
      'c.example:443',
      'crates.io',
    ],
    [
      'pip’s further index',
      { pip: '[global]\nindex-url = https://a.example/\nextra-index-url = https://py.example/simple' },
      'py.example:443',
      'pypi.org',
    ],
    [
      'uv’s variable',
      { env: { UV_DEFAULT_INDEX: 'https://py.example/simple' } },
      'py.example:443',
      'pypi.org',
    ],
    [
      'a registry of Cargo',
      { cargo: '[registries.corp]\nindex = "sparse+https://c.example:8443/index/"' },
      'c.example:8443',
      'crates.io',
    ],
    ['Go’s variable', { env: { GOPROXY: 'http://go.example:3000|off' } }, 'go.example:3000', 'golang.org'],
    ['RubyGems', { gem: ':sources:\n- https://g.example/\n' }, 'g.example:443', 'rubygems.org'],
    ['Bundler', { bundler: 'BUNDLE_MIRROR__ALL: "https://g.example/"' }, 'g.example:443', 'rubygems.org'],
  ])('come from %s in place of the usual one', (_, files, named, usual) => {
    const hosts = hostsOf(files).join(' ')
    expect(hosts).toContain(named)
    expect(hosts).not.toContain(usual)
  })

  it('of a scope are added to the usual one', () => {
    const hosts = hostsOf({ npm: '@corp:registry=https://npm.corp.example/' })
    expect(hosts).toEqual(
      expect.arrayContaining(['https://npm.corp.example:443', 'https://registry.npmjs.org:443']),
    )
  })

  it('keep their logins outside', () => {
    const found = readUserRegistries({
      ...NONE,
      npm: 'registry=https://me:pw@npm.example/a/\n//npm.example/a/:_authToken=${MY_TOKEN}\n//other.example/:_authToken=${MY_TOKEN}',
      pip: 'index-url=https://me:secret@py.example/simple',
      env: { MY_TOKEN: 'the-token' },
    })
    expect(found.npmrc).toBe('registry=https://npm.example/a/\n')
    expect(found.environment).toMatchObject({ PIP_INDEX_URL: 'https://py.example/simple' })
    const rule = found.rules.find(({ host }) => host === 'npm.example')
    expect(rule?.logins).toContainEqual({ path: '/a/', authorization: 'Bearer the-token' })
    expect(found.rules.some(({ host }) => host === 'other.example')).toBe(false)
  })
})

describe('settings of package managers in the sandbox', () => {
  const settings = (given: Partial<ToolSettings>) =>
    Object.fromEntries(insideSettings({ cargo: '', maven: '', bundler: '', gem: '', ...given }, 4000))

  it('are only those that Maven needs for its proxy, if the user has none', () => {
    expect(Object.keys(settings({}))).toEqual(['.m2/settings.xml'])
    expect(settings({})['.m2/settings.xml']).toMatch(
      /^<settings><proxies>.*<port>4000<\/port>.*<\/settings>\n$/,
    )
  })

  it('name the user’s registries, without logins and anything else', () => {
    const shown = settings({
      cargo:
        '[build]\nrustc-wrapper = "evil"\n[source.crates-io]\nreplace-with = "corp"\n[source.corp] # ours\nregistry = "sparse+https://me:a-secret@c.example/" # x\n[registries.corp]\nindex = "https://c.example/i"\ntoken = "a-secret"\n[registries.corp.more]\nindex = "https://x.example"\n[registry]\ndefault = "corp"\ntoken = "a-secret"\n',
      maven:
        '<settings><!-- <mirror><id>no</id><url>https://no.example</url></mirror> --><servers><server><id>corp</id><username>me</username><password>a-secret</password></server></servers><mirrors><mirror>\n<id>corp</id><url> https://me:a-secret@m.example/x </url><mirrorOf>*</mirrorOf></mirror></mirrors><profiles><profile><id>p</id><properties><k>a-secret</k></properties><repositories><repository><id>r</id><url>https://r.example/</url></repository></repositories></profile></profiles></settings>',
      bundler:
        '---\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "https://me:a-secret@g.example/"\nBUNDLE_GEMS__EXAMPLE: "me:a-secret"\n',
      gem: '---\n:sources:\n- https://me:a-secret@g.example/\n:rubygems_api_key: a-secret\n',
    })
    expect(shown['.cargo/config.toml']).toBe(
      '[source.crates-io]\nreplace-with = "corp"\n\n[source.corp]\nregistry = "sparse+https://c.example/"\n\n[registries.corp]\nindex = "https://c.example/i"\n\n[registry]\ndefault = "corp"\n',
    )
    expect(shown['.m2/settings.xml']).toContain(
      '<mirrors><mirror><id>corp</id><mirrorOf>*</mirrorOf><url>https://m.example/x</url></mirror></mirrors><profiles><profile><id>p</id><repositories><repository><id>r</id><url>https://r.example/</url></repository></repositories></profile></profiles>',
    )
    expect(shown['.bundle/config']).toBe('---\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "https://g.example/"\n')
    expect(shown['.gemrc']).toBe('---\n:sources:\n- https://g.example/\n')
    expect(JSON.stringify(shown)).not.toContain('a-secret')
  })

  describe('show no login, in whatever form it is written', () => {
    test.each([
      'https://me:a-secret@h.example/x/',
      'https://me:p@a-secret@h.example/x/',
      'https://a-secret@h.example/x/',
      'HTTPS://me:a-secret@H.example/x/',
      'https:\\\\me:a-secret@h.example/x/',
      'https://me:${PW}a-secret@h.example/x/',
      'https://h.example/x/?token=a-secret',
      'https://h.example/x/#a-secret',
    ])('%s', address => {
      const { shown, variables } = everything(address)
      expect(shown).not.toContain('a-secret')
      expect(shown.split('https://h.example/x/')).toHaveLength(16)
      expect(variables['GOPROXY']).toBe('https://h.example/x/,direct')
    })
    test.each([
      'ssh://me:a-secret@h.example/x/',
      'git+https://me:a-secret@h.example/x/',
      'ftp://me:a-secret@h.example/x/',
      'https://me:a-secret/x@h.example/',
      'https://me&#64;a-secret/x/',
      'https://${a-secret}/x/',
      'https://h.example/${a-secret}/',
      'file:///a-secret',
      'a-secret',
    ])('%s', address => {
      const { shown } = everything(address)
      expect(shown).not.toContain('a-secret')
      expect(shown).not.toContain('h.example')
    })

    /** All that a session gets to see of an address that each tool's settings have. */
    function everything(address: string) {
      const maven = `<settings><servers><server><password><![CDATA[a-secret]]></password></server></servers><mirrors><mirror><id>m</id><url>${address}</url></mirror></mirrors><profiles><profile><id>p</id><repositories><repository><id>r</id><url>${address}</url></repository></repositories></profile></profiles></settings>`
      const toml = address.replaceAll('\\', '\\\\')
      const cargo = `# a-secret\nregistries = { a = { index = "${toml}", token = "a-secret" }, "b" = { "\\u0069ndex" = "sparse+${toml}" } }\n[source."a-secret:x"]\nregistry = "${toml}"\n[source.c]\nregistry = '${address}'\n`
      const bundler = `BUNDLE_MIRROR__ALL: "${address}"\nBUNDLE_MIRROR__HTTPS://ME:a-secret@H/: "${address}"\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: ${address}\n`
      const gem = `# a-secret\n:sources:\n- ${address}\n- '${address}' # a-secret\n`
      const found = readUserRegistries({
        ...NONE,
        npm: `registry=${address}\n@x:registry=${address}`,
        pip: `index-url=${address}\nextra-index-url=https://other.example/ ${address}`,
        go: `GOPROXY=${address},direct\nGOPRIVATE=me:a-secret@x\nGOSUMDB=sum.example ${address}`,
      })
      const shown = JSON.stringify([settings({ maven, cargo, bundler, gem }), found.npmrc, found.environment])
      return { shown, variables: found.environment }
    }
  })

  it('keep what Maven downloads: blocked mirrors, layouts, policies and which profiles are active', () => {
    const mirror =
      '<mirror><id>no-http</id><mirrorOf>external:http:*</mirrorOf><blocked>true</blocked><url>http://0.0.0.0/</url></mirror>'
    const repository =
      '<repository><id>r</id><layout>default</layout><releases><enabled>false</enabled></releases><snapshots><enabled>true</enabled><updatePolicy>interval:60</updatePolicy></snapshots><url>https://r.example/</url></repository>'
    const profiles = `<profile><id>off</id><repositories>${repository}</repositories></profile><profile><id>always</id><activation><activeByDefault>true</activeByDefault></activation><pluginRepositories>${repository.replaceAll('repository>', 'pluginRepository>')}</pluginRepositories></profile>`
    const rest = `<mirrors>${mirror}</mirrors><profiles>${profiles}</profiles><activeProfiles><activeProfile>on</activeProfile></activeProfiles></settings>`
    const maven = `<?xml version="1.0"?>\n<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0"><offline/>${rest}`
    expect(settings({ maven })['.m2/settings.xml']).toMatch(/^<settings><proxies>.*<\/proxies><mirrors>/)
    expect(settings({ maven })['.m2/settings.xml']).toContain(`</proxies>${rest}`)
    expect(hostsOf({ maven })).toContain('https://r.example:443')
    expect(hostsOf({ maven })).not.toContain('http://0.0.0.0:80')
  })

  it.each(['<settings><mirrors>', '<settings>a < b</settings>', '<!DOCTYPE a><settings></settings>', '</a>'])(
    'are those of the proxy alone for %s',
    maven => {
      expect(settings({ maven })).toEqual(settings({}))
    },
  )

  it('keep the user’s own options for Java', () => {
    const { MAVEN_OPTS = '' } = networkVariables(4000, { MAVEN_OPTS: '-Xmx1g' })
    expect(MAVEN_OPTS).toMatch(/^-Xmx1g -Djavax\.net\.ssl\.trustStore=/)
    expect(networkVariables(4000, {})['GRADLE_OPTS']).toMatch(/^-Djavax/)
  })

  it('end the search for updates at servers of their own, about which the user would be asked', () => {
    expect(networkVariables(4000, {})).toMatchObject({ CHECKPOINT_DISABLE: '1' })
  })
})

it('come from files in the home folder of the user; a project’s own add nothing', () => {
  const folder = scratch('br-')
  const write = (path: string, text: string) => {
    mkdirSync(join(folder.path, path, '..'), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  const texts: Record<string, (host: string) => string> = {
    '.npmrc': host => `registry=https://npm.${host}/`,
    '.config/pip/pip.conf': host => `index-url=https://pip.${host}/`,
    '.cargo/config.toml': host => `[source.crates-io]\nregistry = "https://cargo.${host}/"`,
    '.config/go/env': host => `GOPROXY=https://go.${host}`,
    '.m2/settings.xml': host => MIRROR(`https://maven.${host}/`),
    '.bundle/config': host => `BUNDLE_MIRROR__ALL: "https://ruby.${host}/"`,
  }
  for (const [path, text] of Object.entries(texts)) {
    write(`home/${path}`, text('users.example'))
    write(`home/project/${path}`, text('projects.example'))
  }
  const hosts = hostsOf(readRegistryFiles(join(folder.path, 'home')))
  for (const tool of ['npm', 'pip', 'cargo', 'go', 'maven', 'ruby'])
    expect(hosts).toContain(`https://${tool}.users.example:443`)
  expect(hosts.join(' ')).not.toContain('projects.example')
  folder.remove()
})

test('a login is added below its registry’s path only', () => {
  const [rule] = rulesFromSettings(['npm.example'])
  if (!rule) throw new Error('no rule')
  const withLogin = { ...rule, logins: [{ path: '/a/', authorization: 'x' }] }
  expect(loginFor(withLogin, '/a/pkg')).toBe('x')
  expect(loginFor(withLogin, '/a/@scope%2fpkg')).toBe('x')
  for (const path of [
    '/b/pkg',
    '/a',
    '/a/-/whoami',
    '/a/../b',
    '/a/%2E%2e/b',
    '/a//b',
    '/a/x\\..\\b',
    '/a/..;/b',
    '/a/..%2fb',
    '/a/x%2F..%2f../b',
    '/a/-%2fwhoami',
    '/a/-%3f/pkg',
  ])
    expect(loginFor(withLogin, path), path).toBeUndefined()
})

test.each([
  ['api.example.com', { scheme: 'https', host: 'api.example.com', port: 443, methods: ['GET', 'HEAD'] }],
  [
    'GET,POST http://API.example.com:8080',
    { scheme: 'http', host: 'api.example.com', port: 8080, methods: ['GET', 'POST', 'HEAD'] },
  ],
  ['* [::1]:9', { scheme: 'https', host: '::1', port: 9, methods: undefined }],
])('sandbox.hosts: %s', (text, rule) => {
  expect(rulesFromSettings([text])).toEqual([{ ...rule, isUsers: true }])
})

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1111', 'public'],
  ['127.8.9.1', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'special'],
  ['10.1.2.3', 'private'],
  ['172.31.0.1', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd00::1', 'private'],
  ['169.254.169.254', 'special'],
  ['0.0.0.0', 'special'],
  ['::', 'special'],
  ['fe80::1', 'special'],
  ['fe80::1%eth0', 'special'],
  ['64:ff9b::7f00:1', 'special'],
  ['2002:7f00:1::', 'special'],
  ['255.255.255.255', 'special'],
  ['127.1', 'special'],
])('the address %s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind)
})

test('only a host that the user named as this machine leads to this machine', () => {
  expect(mayConnect('127.0.0.1', { host: 'localhost', isUsers: true })).toBe(true)
  expect(mayConnect('127.0.0.1', { host: 'localhost', isUsers: false })).toBe(false)
  expect(mayConnect('127.0.0.1', { host: 'corp.example', isUsers: true })).toBe(false)
  expect(mayConnect('10.0.0.1', { host: 'corp.example', isUsers: true })).toBe(true)
  expect(mayConnect('10.0.0.1', { host: 'registry.npmjs.org', isUsers: false })).toBe(false)
})

test.each([
  'a:b',
  'host:0',
  'host:70000',
  'a@b:1',
  'ho st:1',
  '[::1',
  'host:80/x',
  '-a:1',
  '',
  'a\\b:1',
  'host:80:80',
])('no server is read from %j', text => {
  expect(parseAuthority(text, undefined)).toBeUndefined()
})

test('a certificate is for one host and signed by the authority', () => {
  const authority = createAuthority('Test', Date.UTC(2026, 0, 1))
  const own = new X509Certificate(authority.certificate)
  expect(own.ca).toBe(true)
  for (const [host, other] of [
    ['registry.example', 'other.example'],
    ['127.0.0.1', '127.0.0.2'],
    ['::1', '::2'],
  ] as const) {
    const issued = new X509Certificate(authority.issue(host).cert)
    expect(issued.ca).toBe(false)
    expect(issued.verify(own.publicKey)).toBe(true)
    const check = (name: string) => (host.includes('example') ? issued.checkHost(name) : issued.checkIP(name))
    expect(check(host)).toBe(host)
    expect(check(other)).toBeUndefined()
  }
})
