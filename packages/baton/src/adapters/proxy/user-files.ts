import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').slice(0, 4_000_000)
  } catch {
    return ''
  }
}

/** The files in which the user's package managers keep their registries. None of them is in a project. */
export function readRegistryFiles(home: string) {
  const own = (...names: string[]) => names.map(name => readText(join(home, name))).join('\n')
  return {
    npm: own('.npmrc'),
    pip: `${own('.config/pip/pip.conf', '.pip/pip.conf')}\n${readText('/etc/pip.conf')}`,
    // Cargo takes the name without an ending if there are both; one is often a link to the other.
    cargo: own('.cargo/config') || own('.cargo/config.toml'),
    go: own('.config/go/env'),
    maven: own('.m2/settings.xml'),
    bundler: own('.bundle/config'),
    gem: own('.gemrc'),
  }
}

const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** The certificates that programs of this machine trust, in PEM. */
export const systemCertificates = (): string => SYSTEM_BUNDLES.map(readText).find(text => text !== '') ?? ''

/** Certificate files that the user named; those that cannot be read are left out. */
export const readCertificates = (paths: readonly string[], home: string): string[] =>
  paths
    .map(path => readText(path.replace(/^~(?=\/)/, home)))
    .filter(text => text.includes('BEGIN CERTIFICATE'))
