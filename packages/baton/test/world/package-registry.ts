import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createAuthority } from '../../src/adapters/proxy/certificate.ts'

/** What a package manager's registry answers, by path. */
export type Registry = Record<string, string | Buffer>

/** Serves all registries over https at `localhost`, with a certificate that only the user trusts. */
export async function packageRegistry(folder: string, kinds: (url: string) => Registry[]) {
  const authority = createAuthority('A registry of the user', Date.now())
  const requests: string[] = []
  const files: Registry = {}
  const server = createServer(authority.issue('localhost'), ({ method, url = '' }, response) => {
    requests.push(`${method} ${url}`)
    const found = files[url.split('?')[0] ?? '']
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': url.endsWith('/') ? 'text/html' : 'text/plain',
    })
    response.end(found ?? 'not found')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  mkdirSync(folder, { recursive: true })
  Object.assign(files, ...kinds(url))
  return {
    url,
    requests,
    certificate: authority.certificate,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex')

/** A package index with one wheel. */
export function pythonIndex(): Registry {
  const file = 'useful-1.0.0-py3-none-any.whl'
  const info = 'useful-1.0.0.dist-info'
  const wheel = zip({
    'useful.py': 'print("the module was imported")\n',
    [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: useful\nVersion: 1.0.0\n',
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `useful.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  })
  return {
    '/simple/useful/': `<!DOCTYPE html><a href="/packages/${file}#sha256=${sha256(wheel)}">${file}</a>`,
    [`/packages/${file}`]: wheel,
  }
}

/** A sparse index of crates with one crate. */
export function crateIndex(url: string, folder: string): Registry {
  write(folder, {
    'useful-1.0.0/Cargo.toml': '[package]\nname = "useful"\nversion = "1.0.0"\nedition = "2021"\n',
    'useful-1.0.0/src/lib.rs': '',
  })
  const crate = execFileSync('tar', ['czf', '-', '-C', folder, 'useful-1.0.0'])
  const line = { name: 'useful', vers: '1.0.0', deps: [], cksum: sha256(crate), features: {}, yanked: false }
  return {
    '/crates/config.json': JSON.stringify({ dl: `${url}/crates/dl`, api: `${url}/crates` }),
    '/crates/us/ef/useful': `${JSON.stringify(line)}\n`,
    '/crates/dl/useful/1.0.0/download': crate,
  }
}

/** A module proxy with one module. */
export function goProxy(): Registry {
  const module = 'module code.example/useful\n\ngo 1.16\n'
  const at = '/go/code.example/useful/@v'
  const inside = 'code.example/useful@v1.0.0'
  return {
    [`${at}/list`]: 'v1.0.0\n',
    [`${at}/v1.0.0.info`]: JSON.stringify({ Version: 'v1.0.0', Time: '2026-01-01T00:00:00Z' }),
    [`${at}/v1.0.0.mod`]: module,
    [`${at}/v1.0.0.zip`]: zip({
      [`${inside}/go.mod`]: module,
      [`${inside}/useful.go`]: 'package useful\n\nconst Text = "installed"\n',
    }),
  }
}

/** A Maven repository with one parent project. */
export function mavenRepository(): Registry {
  const pom =
    '<project><modelVersion>4.0.0</modelVersion><groupId>example</groupId><artifactId>useful</artifactId><version>1.0.0</version><packaging>pom</packaging></project>'
  const at = '/maven/example/useful/1.0.0/useful-1.0.0.pom'
  return { [at]: pom, [`${at}.sha1`]: createHash('sha1').update(pom).digest('hex') }
}

/** A gem server with one gem, which the machine's own `gem` builds. */
export function gemServer(folder: string): Registry {
  write(folder, {
    'useful.gemspec':
      'Gem::Specification.new { |s| s.name = "useful"; s.version = "1.0.0"; s.summary = "x"; s.authors = ["x"]; s.files = ["lib/useful.rb"] }\n',
    'lib/useful.rb': 'puts "the gem was required"\n',
  })
  execFileSync('gem', ['build', 'useful.gemspec'], { cwd: folder, stdio: 'ignore' })
  const gem = readFileSync(join(folder, 'useful-1.0.0.gem'))
  const info = `---\n1.0.0 |checksum:${sha256(gem)}\n`
  const md5 = createHash('md5').update(info).digest('hex')
  return {
    '/gems/versions': `created_at: 2026-01-01T00:00:00Z\n---\nuseful 1.0.0 ${md5}\n`,
    '/gems/info/useful': info,
    '/gems/gems/useful-1.0.0.gem': gem,
  }
}

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A zip archive whose files are stored as they are. */
function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)]
    // What the header of a file and its entry in the directory have in common: version, flags, method, time, sizes, lengths.
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x5a21, 8)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, entry, name)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, content])
    parts.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, list, end])
}
