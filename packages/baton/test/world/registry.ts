import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type CertificateAuthority, createAuthority } from '../../src/adapters/proxy/certificate.ts'

export interface Registry extends AsyncDisposable {
  url: string
  port: number
  /** `METHOD /path`, and the login it came with. */
  requests: { line: string; authorization: string | undefined }[]
  /** What signs the certificate of an https registry, in PEM. */
  certificate: string
}

/** An npm registry on loopback with one package, made from these files. */
export async function npmRegistry(
  folder: string,
  name: string,
  files: Record<string, string>,
  { isSecure = false } = {},
): Promise<Registry> {
  const source = join(folder, 'package')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(source, path, '..'), { recursive: true })
    writeFileSync(join(source, path), text)
  }
  const archive = join(folder, 'package.tgz')
  execFileSync('tar', ['czf', archive, '-C', folder, 'package'])
  const content = readFileSync(archive)
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  const requests: Registry['requests'] = []
  const listener: RequestListener = (request, response) => {
    requests.push({
      line: `${request.method} ${request.url}`,
      authorization: request.headers.authorization,
    })
    if (request.url?.endsWith('.tgz')) return void response.end(content)
    if (request.url === '/moved')
      return void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
    if (request.method === 'POST' && request.url === '/-/npm/v1/security/advisories/bulk')
      return void response.end(
        JSON.stringify({
          [name]: [
            {
              id: 1,
              url: 'https://registry.example/1',
              title: `${name} is unsafe`,
              severity: 'high',
              vulnerable_versions: '<2.0.0',
              cwe: [],
              cvss: { score: 0, vectorString: null },
            },
          ],
        }),
      )
    if (request.url !== `/${name}`) return void response.writeHead(404).end('{}')
    const manifest = JSON.parse(files['package.json'] ?? '{}')
    const dist = { tarball: `${url}${name}/-/${name}-1.0.0.tgz`, integrity }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { ...manifest, dist } },
      }),
    )
  }
  const authority: CertificateAuthority = createAuthority('A registry of the user', Date.now())
  const server = isSecure
    ? createSecureServer(authority.issue('localhost'), listener)
    : createServer(listener)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const url = isSecure ? `https://localhost:${port}/` : `http://127.0.0.1:${port}/`
  return {
    url,
    port,
    requests,
    certificate: authority.certificate,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}
