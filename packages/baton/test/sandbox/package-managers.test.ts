import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onPath } from '../../src/adapters/system/on-path.ts'
import { networkWorld } from '../world/network.ts'
import {
  crateIndex,
  gemServer,
  goProxy,
  mavenRepository,
  packageRegistry,
  pythonIndex,
} from '../world/package-registry.ts'
import { scratch } from '../world/scratch.ts'

const isHere = (program: string): boolean => onPath(program, process.env) !== undefined

/** What a program prints; an empty text if it does not work on this machine, as a shim of pyenv or rustup without a version. */
const print = (program: string, ...args: string[]): string => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
// Folders of the toolchains themselves: the scratch home folder has no pyenv and no rustup.
const python = print('python3', '-c', 'import pip, sys; print(sys.base_prefix)')
const rust = print('rustc', '--print', 'sysroot')
const hasRuby = isHere('bundle') && print('gem', '--version') !== ''

/** Its parent is asked for at both repositories: at the one that no one allowed, and at the user's. */
const POM =
  '<project><modelVersion>4.0.0</modelVersion><repositories><repository><id>x</id><url>https://unknown.example/</url></repository></repositories><parent><groupId>example</groupId><artifactId>useful</artifactId><version>1.0.0</version></parent><artifactId>own</artifactId><packaging>pom</packaging></project>'

interface Manager {
  program: string
  /** Whether this machine has all that it needs. */
  works: boolean
  files?: Record<string, string>
  /** The command, and what it prints if the package was installed. */
  install: string
  prints: string
  /** Downloads from a server that no one allowed, unless the installation did. */
  unknown?: string
  publish?: { command: (url: string) => string; method: string }
}

/** By default, tools do not use the proxy for localhost. These do: the one for all other hosts is tried with them, too. */
const PROXIED = "export NO_PROXY='' no_proxy='';"

const managers: Manager[] = [
  {
    program: 'pip',
    works: python !== '',
    install: `${PROXIED} ${python}/bin/python3 -m pip install --no-deps --target lib useful; PYTHONPATH=lib ${python}/bin/python3 -c "import useful"`,
    prints: 'the module was imported',
    unknown: `${python}/bin/python3 -m pip install --retries 0 --index-url https://unknown.example/simple x`,
    // What twine does.
    publish: {
      command: url =>
        `${python}/bin/python3 -c "import urllib.request as r; r.urlopen('${url}/simple/', b'a wheel')"`,
      method: 'POST',
    },
  },
  {
    program: 'cargo',
    works: rust !== '' && existsSync(join(rust, 'bin', 'cargo')),
    files: {
      'Cargo.toml':
        '[package]\nname = "own"\nversion = "1.0.0"\nedition = "2021"\ndescription = "x"\nlicense = "MIT"\n[dependencies]\nuseful = { version = "1", registry = "corp" }\n',
      'src/main.rs': 'fn main() {}\n',
    },
    install: `${PROXIED} export PATH=${rust}/bin:$PATH; cargo fetch`,
    prints: 'Downloaded useful v1.0.0',
    unknown: `export PATH=${rust}/bin:$PATH CARGO_NET_RETRY=0; cargo search x --index sparse+https://unknown.example/`,
    publish: {
      command: () =>
        `export PATH=${rust}/bin:$PATH; cargo publish --registry corp --token x --allow-dirty --no-verify`,
      method: 'PUT',
    },
  },
  {
    // One start, without plugins: Java's start is slow on a busy machine. No publishing: its plugin would have to be downloaded.
    program: 'mvn',
    works: isHere('mvn') && isHere('java'),
    files: { 'pom.xml': POM },
    // Java takes the home folder from the machine's list of users, and the test has another one.
    install:
      'MAVEN_OPTS="$MAVEN_OPTS -Duser.home=$HOME -XX:TieredStopAtLevel=1 -XX:+UseSerialGC" mvn -B validate',
    prints: 'BUILD SUCCESS',
  },
  {
    program: 'go',
    works: print('go', 'version') !== '',
    files: { 'go.mod': 'module own\n\ngo 1.16\n' },
    install: 'go get code.example/useful && cat go.mod',
    prints: 'code.example/useful v1.0.0',
    unknown: 'GOPROXY=https://unknown.example go get code.example/other',
  },
  {
    program: 'bundle',
    works: hasRuby,
    files: { Gemfile: 'source "https://rubygems.org"\ngem "useful"\n' },
    install: `${PROXIED} export BUNDLE_PATH=vendor; bundle install && bundle exec ruby -e 'require "useful"'`,
    prints: 'the gem was required',
    unknown: `sed -i s/rubygems.org/unknown.example/ Gemfile; bundle install --retry 0`,
    publish: {
      command: url => `GEM_HOST_API_KEY=x gem push --host ${url}/gems/ vendor/ruby/*/cache/useful-1.0.0.gem`,
      method: 'POST',
    },
  },
]

describe('package managers in the sandbox', { timeout: 300_000 }, () => {
  const folder = scratch('bp-')
  let registry: Awaited<ReturnType<typeof packageRegistry>>
  let here: Awaited<ReturnType<typeof networkWorld>>

  beforeAll(async () => {
    registry = await packageRegistry(folder.path, url => [
      pythonIndex(),
      crateIndex(url, folder.path),
      goProxy(),
      mavenRepository(),
      ...(hasRuby ? [gemServer(join(folder.path, 'gem'))] : []),
    ])
    const { url, certificate } = registry
    here = await networkWorld({
      // As in a company: everything comes from its own server, with logins in the same files.
      home: ({ home }) => ({
        'corp.pem': certificate,
        '.config/pip/pip.conf': `[global]\nindex-url = ${url}/simple\ncert = ${home}/corp.pem\n`,
        '.cargo/config.toml': `[registries.corp]\nindex = "sparse+${url}/crates/"\ntoken = "a-secret"\n`,
        '.config/go/env': `GOPROXY=${url}/go\nGOSUMDB=off\n`,
        '.m2/settings.xml': `<settings><servers><server><id>corp</id><password>a-secret</password></server></servers><mirrors><mirror><id>corp</id><mirrorOf>central</mirrorOf><url>${url}/maven</url></mirror></mirrors></settings>`,
        '.bundle/config': `---\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "${url}/gems/"\nBUNDLE_LOCALHOST: "me:a-secret"\n`,
      }),
      names: { localhost: ['127.0.0.1'] },
      readable: [python, rust].filter(Boolean),
    })
  }, 300_000)
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]()
    await registry?.[Symbol.asyncDispose]()
    folder.remove()
  })

  for (const { program, works, files = {}, install, prints, unknown, publish } of managers)
    it(`${program} installs from the user’s registry, publishes nothing, and reaches no other host`, async context => {
      if (!works) context.skip(`${program} is not on this machine, or does not start`)
      const { world, blocked } = here
      for (const [name, text] of Object.entries(files)) world.project.write(`${program}/${name}`, text)
      const run = async (command: string) => {
        const { stdout, stderr } = await world.run(
          `mkdir -p ${program} && cd ${program} && { ${command}; } 2>&1`,
        )
        return stdout + stderr
      }
      expect(await run(install)).toContain(prints)
      if (publish) {
        expect(await run(publish.command(registry.url))).toMatch(/403|may only read/)
        expect(blocked.at(-1)).toBe(`${publish.method} ${new URL(registry.url).host}`)
      }
      if (unknown) await run(unknown)
      expect(blocked.at(-1)).toBe('unknown.example')
      blocked.length = 0
      expect(registry.requests.filter(line => !/^(GET|HEAD) /.test(line))).toEqual([])
    })

  it('logins of package managers are not inside', async () => {
    const { stdout } = await here.world.run(
      'cat ~/.cargo/config.toml ~/.m2/settings.xml; env; grep -rs a-secret ~',
    )
    expect(stdout).toContain(`sparse+${registry.url}/crates/`)
    expect(stdout).toContain(`<url>${registry.url}/maven</url>`)
    expect(stdout).not.toContain('a-secret')
  })
})
