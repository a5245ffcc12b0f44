import { parse } from 'yaml'
import { withoutLogin } from './address.ts'
import { readCargoSettings } from './cargo-settings.ts'
import { mavenSettings } from './maven-settings.ts'

/** Settings files of the user's that name registries, as the sandbox shows them: without logins and everything else. */
export interface ToolSettings {
  cargo: string
  maven: string
  bundler: string
  gem: string
}

/** Texts for files in the private home folder, by path. Empty texts are left out. */
export function insideSettings(settings: ToolSettings, proxyPort: number): [path: string, text: string][] {
  const files: [string, string][] = [
    ['.cargo/config.toml', readCargoSettings(settings.cargo).inside],
    ['.m2/settings.xml', mavenSettings(settings.maven, proxyPort)],
    ['.bundle/config', bundlerConfig(settings.bundler)],
    ['.gemrc', gemrc(settings.gem)],
  ]
  return files.filter(([, text]) => text !== '')
}

/** Mirrors of gem servers. The name of a setting holds the address that the mirror replaces. */
function bundlerConfig(text: string): string {
  const kept = text.split('\n').flatMap(line => {
    const [, key, value = ''] =
      /^(BUNDLE_MIRROR__(?:ALL|HTTPS?:\/\/[^\s@?#"]+)): "?([^\s"]+)"?\s*$/i.exec(line) ?? []
    const url = withoutLogin(value)
    return key && url ? [`${key}: "${url}"`] : []
  })
  return kept.length > 0 ? `---\n${kept.join('\n')}\n` : ''
}

/** Gem servers. */
function gemrc(text: string): string {
  const sources = gemSources(text).flatMap(source => withoutLogin(String(source)) ?? [])
  return sources.length > 0 ? `---\n:sources:\n${sources.map(url => `- ${url}\n`).join('')}` : ''
}

function gemSources(text: string): unknown[] {
  try {
    const settings: Record<string, unknown> | null = parse(text, { logLevel: 'silent' })
    const sources = settings?.[':sources'] ?? settings?.['sources']
    return Array.isArray(sources) ? sources : []
  } catch {
    return []
  }
}
