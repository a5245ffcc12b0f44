/** The part of the plugin that answers opencode's own questions about permission where Baton has allowed the call already. */
export const pluginPermissions = `
function matches(rule, text) {
  let [at, here, star, back] = [0, 0, -1, 0]
  while (here < text.length) {
    if (rule[at] === '*') [star, back] = [at++, here]
    else if (at < rule.length && (rule[at] === '?' || rule[at] === text[here])) [at, here] = [at + 1, here + 1]
    else if (star < 0) return false
    else [at, here] = [star + 1, ++back]
  }
  while (rule[at] === '*') at++
  return at === rule.length
}
// opencode's own patterns: any text, one character, and a last argument that may be absent.
const covers = (rule, text) => matches(rule, text) || (rule.endsWith(' *') && matches(rule.slice(0, -2), text))
const withHome = rule =>
  rule.startsWith('~') ? homedir() + rule.slice(1) : rule.startsWith('$HOME') ? homedir() + rule.slice(5) : rule
const isObject = value => typeof value === 'object' && value !== null
const permissionsIn = value =>
  isObject(value) ? Object.entries(value).flatMap(([key, each]) => (key === 'permission' ? [each] : permissionsIn(each))) : []

// What the user wants to be asked about by a pattern, the user answers. A rule that asks about everything leaves it to Baton.
async function asksByPattern({ permission, type, patterns, pattern }, { client, directory }) {
  const { data } = await client.config.get({ query: { directory } })
  const asked = [patterns ?? pattern ?? []].flat().map(String)
  return permissionsIn(data)
    .filter(isObject)
    .flatMap(rules => [rules[permission ?? type], rules['*']])
    .filter(isObject)
    .flatMap(rules => Object.entries(rules))
    .filter(([rule, action]) => action !== 'allow' && rule.replaceAll('*', '').trim() !== '')
    .some(([rule]) => asked.length === 0 || asked.some(text => covers(withHome(rule), text)))
}

// Baton allowed the call already: no one needs to be asked again.
async function answerPermission(id, properties, calls, opencode) {
  if (!calls.isAllowed(properties) || (await asksByPattern(properties, opencode).catch(() => true))) return
  await opencode.client.postSessionIdPermissionsPermissionId({ path: { id, permissionID: properties.id }, body: { response: 'once' } })
}
`
