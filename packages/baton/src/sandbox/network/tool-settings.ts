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
    ['.cargo/config.toml', cargoConfig(settings.cargo)],
    ['.m2/settings.xml', mavenSettings(settings.maven, proxyPort)],
    ['.bundle/config', bundlerConfig(settings.bundler)],
    ['.gemrc', gemrc(settings.gem)],
  ]
  return files.filter(([, text]) => text !== '')
}

export const withoutLogin = (url: string): string => url.replace(/^((?:sparse\+)?https?:\/\/)[^@/]*@/, '$1')

/** Registries and the sources that replace crates.io. */
function cargoConfig(text: string): string {
  let isWanted = false
  const kept = text.split('\n').flatMap(line => {
    const header = /^\s*\[([^\]]*)\]/.exec(line)
    if (header) {
      isWanted = /^(?:registry|(?:source|registries)\.(?:[\w-]+|"[\w.-]+"))$/.test(header[1] ?? '')
      return isWanted ? [`[${header[1]}]`] : []
    }
    const [, key, value = ''] = /^\s*(registry|index|replace-with|default)\s*=\s*"([^"\\]*)"/.exec(line) ?? []
    return isWanted && key ? [`${key} = "${withoutLogin(value)}"`] : []
  })
  return kept.length > 0 ? `${kept.join('\n')}\n` : ''
}

/** Mirrors and repositories. Maven finds its proxy in this file only. */
function mavenSettings(text: string, proxyPort: number): string {
  const plain = text.replace(/<!--[\s\S]*?-->/g, '')
  const textOf = (block: string, tag: string) =>
    new RegExp(`<${tag}>\\s*([^<]*?)\\s*</${tag}>`).exec(block)?.[1] ?? ''
  const copy = (block: string, ...tags: string[]) =>
    tags.map(tag => `<${tag}>${withoutLogin(textOf(block, tag))}</${tag}>`).join('')
  const blocks = (tag: string) =>
    [...plain.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, block = '']) => block)
      .filter(block => /^https?:/.test(textOf(block, 'url')))
  const list = (tag: string, each: (block: string) => string, plural = `${tag.slice(0, -1)}ies`) => {
    const found = blocks(tag).map(block => `<${tag}>${each(block)}</${tag}>`)
    return found.length > 0 ? `<${plural}>${found.join('')}</${plural}>` : ''
  }
  const proxies = (['http', 'https'] as const).map(
    protocol =>
      `<proxy><id>baton-${protocol}</id><active>true</active><protocol>${protocol}</protocol><host>127.0.0.1</host><port>${proxyPort}</port><nonProxyHosts>localhost|127.0.0.1</nonProxyHosts></proxy>`,
  )
  const mirrors = list('mirror', block => copy(block, 'id', 'mirrorOf', 'url'), 'mirrors')
  const repositories = ['repository', 'pluginRepository']
    .map(tag => list(tag, block => copy(block, 'id', 'url')))
    .join('')
  const profile = repositories
    ? `<profiles><profile><id>baton</id>${repositories}</profile></profiles><activeProfiles><activeProfile>baton</activeProfile></activeProfiles>`
    : ''
  return `<settings><proxies>${proxies.join('')}</proxies>${mirrors}${profile}</settings>\n`
}

/** Mirrors of gem servers. */
function bundlerConfig(text: string): string {
  const kept = text.split('\n').flatMap(line => {
    const [, key, value = ''] = /^(BUNDLE_MIRROR__[^\s]+): "?(https?:\/\/[^\s"]+)"?\s*$/.exec(line) ?? []
    return key && !key.includes('@') ? [`${key}: "${withoutLogin(value)}"`] : []
  })
  return kept.length > 0 ? `---\n${kept.join('\n')}\n` : ''
}

/** Gem servers. */
function gemrc(text: string): string {
  const sources = [...text.matchAll(/^\s*- ["']?(https?:\/\/[^\s"']+)/gm)].map(([, url = '']) =>
    withoutLogin(url),
  )
  return sources.length > 0 ? `---\n:sources:\n${sources.map(url => `- ${url}\n`).join('')}` : ''
}
