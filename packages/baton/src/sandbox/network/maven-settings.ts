import { withoutLogin } from './address.ts'

interface Element {
  name: string
  text: string
  children: Element[]
}

/**
 * Addresses of the mirrors and repositories in `~/.m2/settings.xml`, with their logins. Not those of blocked mirrors, which
 * Maven never asks.
 */
export function mavenAddresses(text: string): string[] {
  const settings = readXml(text)
  const mirrors = listed(settings, 'mirrors', 'mirror').filter(mirror => textOf(mirror, 'blocked') !== 'true')
  const repositories = listed(settings, 'profiles', 'profile').flatMap(profile =>
    REPOSITORIES.flatMap(([list, item]) => listed(profile, list, item)),
  )
  return [...mirrors, ...repositories].map(each => textOf(each, 'url')).filter(Boolean)
}

/** The user's mirrors and profiles with repositories, without logins and everything else. Maven finds its proxy in this file only. */
export function mavenSettings(text: string, proxyPort: number): string {
  const settings = readXml(text)
  const proxies = ['http', 'https'].map(
    protocol =>
      `<proxy><id>baton-${protocol}</id><active>true</active><protocol>${protocol}</protocol><host>127.0.0.1</host><port>${proxyPort}</port><nonProxyHosts>localhost|127.0.0.1</nonProxyHosts></proxy>`,
  )
  const mirrors = listed(settings, 'mirrors', 'mirror').map(each => copy(each, MIRROR))
  const profiles = listed(settings, 'profiles', 'profile').map(profile => {
    const id = value(child(profile, 'id'))
    const repositories = REPOSITORIES.map(([list, item]) =>
      wrap(
        list,
        listed(profile, list, item).map(each => copy(each, REPOSITORY)),
      ),
    ).join('')
    const isDefault = textOf(child(profile, 'activation'), 'activeByDefault') === 'true'
    const activation = isDefault ? '<activation><activeByDefault>true</activeByDefault></activation>' : ''
    return id && repositories ? `<profile>${id}${activation}${repositories}</profile>` : ''
  })
  const active = listed(settings, 'activeProfiles', 'activeProfile').map(value)
  return `${wrap('settings', [
    wrap('proxies', proxies),
    wrap('mirrors', mirrors),
    wrap('profiles', profiles),
    wrap('activeProfiles', active),
  ])}\n`
}

const REPOSITORIES = [
  ['repositories', 'repository'],
  ['pluginRepositories', 'pluginRepository'],
] as const
const MIRROR = ['id', 'mirrorOf', 'mirrorOfLayouts', 'layout', 'blocked']
const REPOSITORY = ['id', 'layout', 'releases', 'snapshots']
const POLICY = ['enabled', 'updatePolicy', 'checksumPolicy']

/** Without an address that may be shown, nothing: except for a blocked mirror, whose address Maven never asks. */
function copy(element: Element, tags: readonly string[]): string {
  const isBlocked = element.name === 'mirror' && textOf(element, 'blocked') === 'true'
  const url = isBlocked ? 'http://0.0.0.0/' : withoutLogin(textOf(element, 'url'))
  const parts = tags.flatMap(tag => {
    const found = child(element, tag)
    if (!found) return []
    if (found.children.length === 0) return [value(found)]
    return [
      wrap(
        tag,
        POLICY.map(each => value(child(found, each))),
      ),
    ]
  })
  return url && !url.includes('&') ? wrap(element.name, [...parts, `<url>${url}</url>`]) : ''
}

/** An element with a plain text: names, patterns of names, and words such as `true` and `interval:60`. */
const value = (element: Element | undefined): string =>
  element && /^[\w.*!,:\s-]+$/.test(element.text) ? `<${element.name}>${element.text}</${element.name}>` : ''

const wrap = (tag: string, parts: readonly string[]): string =>
  parts.some(Boolean) ? `<${tag}>${parts.join('')}</${tag}>` : ''

const child = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find(each => each.name === name)

const textOf = (element: Element | undefined, name: string): string => child(element, name)?.text ?? ''

const listed = (element: Element | undefined, list: string, item: string): Element[] =>
  child(element, list)?.children.filter(each => each.name === item) ?? []

/** Elements and their texts. Undefined for XML with errors or definitions of its own. */
function readXml(source: string): Element | undefined {
  const root: Element = { name: '', text: '', children: [] }
  const open = [root]
  // In place of character data a text that no setting may have.
  const plain = source.replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>/g, part =>
    part.startsWith('<![') ? '&' : '',
  )
  for (const [, tag, text] of plain.matchAll(/<([^<>]*)>|([^<>]+)|[<>]/g)) {
    const parent = open.at(-1)
    if (!parent) return undefined
    if (text !== undefined) {
      parent.text = `${parent.text}${text}`.trim()
      continue
    }
    const [, isEnd, name, isEmpty] = /^(\/?)([\w.-]+)(?:\s[\s\S]*?)?(\/?)$/.exec(tag ?? '') ?? []
    if (!name) return undefined
    if (isEnd) {
      if (open.pop()?.name !== name) return undefined
      continue
    }
    const element: Element = { name, text: '', children: [] }
    parent.children.push(element)
    if (!isEmpty) open.push(element)
  }
  return open.length === 1 ? child(root, 'settings') : undefined
}
