// A strict gh: the commands that the workflows prescribe, against the fake GitHub. It refuses everything else.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Options of each command; `=` marks one with a value, `+` one that may come several times. */
const COMMANDS = {
  'auth status': '',
  'repo view': '--json= -q|--jq=',
  'label create': '-f|--force -c|--color= -d|--description= -R|--repo=',
  'issue list': '--search= --state= -R|--repo=',
  'issue view': '-c|--comments --json= -q|--jq= -R|--repo=',
  'issue create': '--title= --label=+ -b|--body= -F|--body-file= -R|--repo=',
  'issue edit': '--title= --add-label=+ -b|--body= -F|--body-file= -R|--repo=',
  'issue comment': '-b|--body= -F|--body-file= -R|--repo=',
  'pr view': '--json= -q|--jq= -R|--repo=',
  'pr create': '--title= --base= -H|--head= -b|--body= -F|--body-file= -R|--repo=',
  'pr comment': '-b|--body= -F|--body-file= -R|--repo=',
  'api graphql': '-f|--raw-field=+ -F|--field=+ -q|--jq= --hostname=',
}

const fail = message => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
const print = text => process.stdout.write(`${text}\n`)

const [group = '', verb = '', ...words] = process.argv.slice(2)
const name = `${group} ${verb}`
const table = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : fail(`unknown command "${name}" for "gh"`)
const { options, args } = parse(words, table)
const token = process.env.GH_ENTERPRISE_TOKEN || fail('gh: To use GitHub CLI, run: gh auth login')
const { host, full } = repository()
const owner = full.split('/')[0]
const api = `/repos/${full}`

function parse(all, known) {
  const flags = known.split(' ').map(each => /^([^=+]+)(=?)(\+?)$/.exec(each))
  const found = { options: new Map(), args: [] }
  for (let at = 0; at < all.length; at++) {
    const word = all[at]
    if (word === '--') {
      found.args.push(...all.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      found.args.push(word)
      continue
    }
    const [flag, joined] = /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]
    const match = flags.find(each => each?.[1].split('|').includes(flag)) ?? fail(`unknown flag: ${flag}`)
    const long = match[1].split('|').at(-1)
    if (!match[2] && joined !== undefined) fail(`flag ${flag} takes no value`)
    const value = match[2] ? (joined ?? all[++at] ?? fail(`flag needs an argument: ${flag}`)) : true
    if (found.options.has(long) && !match[3]) fail(`${flag} was given twice`)
    found.options.set(long, [...(found.options.get(long) ?? []), value])
  }
  return found
}

function option(long) {
  return options.get(long)?.[0]
}

/** --repo, or the remote of the folder: outside of a repository the real one refuses, too. */
function repository() {
  // The real one asks no repository for its host, either, if it is told one.
  if (option('--hostname')) return { host: option('--hostname'), full: '' }
  const named = option('--repo') ?? (name === 'repo view' ? args[0] : undefined)
  const parts = (named ?? fromRemote()).split('/')
  return parts.length === 3
    ? { host: parts[0], full: parts.slice(1).join('/') }
    : fail(`expected the "HOST/OWNER/REPO" format, got ${named}`)
}

function fromRemote() {
  try {
    const url = new URL(
      execFileSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8', stdio: 'pipe' }).trim(),
    )
    return `${url.host}${url.pathname.replace(/\.git$/, '')}`
  } catch {
    return fail('fatal: not a git repository (or any of the parent directories): .git')
  }
}

async function call(method, path, body) {
  const response = await fetch(`http://${host}${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await response.json().catch(() => ({}))
  return response.ok
    ? answer
    : fail(
        `gh: ${answer.message ?? 'failed'} (HTTP ${response.status}) ${JSON.stringify(answer.errors ?? '')}`,
      )
}

function body() {
  const file = option('--body-file')
  if (file !== undefined) return readFileSync(file === '-' ? 0 : file, 'utf8')
  return option('--body')
}

function number() {
  const found = /^(?:https?:\/\/\S+\/(?:issues|pull)\/)?(\d+)$/.exec(args[0] ?? '')
  return found && args.length === 1 ? Number(found[1]) : fail(`invalid issue format: ${args.join(' ')}`)
}

async function pull() {
  const [wanted, ...more] = args
  const branch =
    wanted ?? execFileSync('git', ['symbolic-ref', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  if (more.length > 0) fail('accepts at most 1 arg')
  const all = await call('GET', `${api}/pulls?state=all&per_page=100`)
  return (
    all.find(each => each.head.ref === branch || String(each.number) === branch) ??
    fail(`no pull requests found for branch "${branch}"`)
  )
}

/** The fields that --json names, through -q: paths and texts, joined by `+`. */
function show(fields) {
  const wanted = option('--json')
  if (wanted === undefined)
    return print(
      Object.entries(fields)
        .map(([key, value]) => `${key}:\t${value}`)
        .join('\n'),
    )
  const chosen = Object.fromEntries(
    wanted
      .split(',')
      .map(key => [key, Object.hasOwn(fields, key) ? fields[key] : fail(`Unknown JSON field: "${key}"`)]),
  )
  const query = option('--jq')
  if (query === undefined) return print(JSON.stringify(chosen))
  const parts = query.split(' + ').map(part => {
    if (/^"[^"\\]*"$/.test(part)) return part.slice(1, -1)
    if (!/^(\.\w+)+$/.test(part)) return fail(`jq: ${part} is not supported here`)
    return part
      .slice(1)
      .split('.')
      .reduce((value, key) => value?.[key], chosen)
  })
  return print(parts.join(''))
}

async function needLabels(labels) {
  const known = (await call('GET', `${api}/labels?per_page=100`)).map(label => label.name)
  for (const label of labels) if (!known.includes(label)) fail(`could not add label: '${label}' not found`)
}

const RUN = {
  'auth status': async () => {
    const { login } = await call('GET', '/user')
    print(`${host}\n  ✓ Logged in to ${host} account ${login}\n  - Token scopes: 'project', 'repo'`)
  },
  'repo view': async () => {
    const found = await call('GET', api)
    show({ name: found.name, owner: { login: found.owner.login }, url: found.html_url })
  },
  'label create': async () => {
    const known = (await call('GET', `${api}/labels?per_page=100`)).map(label => label.name)
    const [label = fail('a name is required')] = args
    const facts = { color: option('--color') ?? 'ededed', description: option('--description') ?? '' }
    if (!known.includes(label)) await call('POST', `${api}/labels`, { name: label, ...facts })
    else if (option('--force')) await call('PATCH', `${api}/labels/${encodeURIComponent(label)}`, facts)
    else fail(`label with name "${label}" already exists; use \`--force\` to update`)
  },
  'issue list': async () => {
    const open = await call('GET', `${api}/issues?state=${option('--state') ?? 'open'}&per_page=100`)
    const asked = (option('--search') ?? '').replace('in:title', '').trim().toLowerCase()
    const fits = open.filter(issue => !issue.pull_request && issue.title.toLowerCase().includes(asked))
    for (const issue of fits) print(`${issue.number}\t${issue.state.toUpperCase()}\t${issue.title}`)
  },
  'issue view': async () => {
    const issue = await call('GET', `${api}/issues/${number()}`)
    const comments = option('--comments') ? await call('GET', `${api}/issues/${number()}/comments`) : []
    const { title, state, html_url: url } = issue
    show({ title, state: state.toUpperCase(), number: issue.number, url, body: issue.body ?? '' })
    for (const comment of comments) print(`--\n${comment.body}`)
  },
  'issue create': async () => {
    const labels = options.get('--label') ?? []
    await needLabels(labels)
    const title =
      option('--title') ?? fail('must provide `--title` and `--body` when not running interactively')
    const made = await call('POST', `${api}/issues`, { title, body: body() ?? '', labels })
    print(made.html_url)
  },
  'issue edit': async () => {
    const labels = options.get('--add-label') ?? []
    await needLabels(labels)
    const title = option('--title')
    const text = body()
    const change = {
      ...(title === undefined ? {} : { title }),
      ...(text === undefined ? {} : { body: text }),
    }
    const changed = await call('PATCH', `${api}/issues/${number()}`, change)
    if (labels.length > 0) await call('POST', `${api}/issues/${number()}/labels`, { labels })
    print(changed.html_url)
  },
  'issue comment': async () =>
    print((await call('POST', `${api}/issues/${number()}/comments`, { body: body() })).html_url),
  'pr view': async () => {
    const { number: n, html_url: url, state, head } = await pull()
    show({ number: n, url, state: state.toUpperCase(), headRefOid: head.sha, headRefName: head.ref })
  },
  'pr create': async () => {
    const head = option('--head') ?? fail('must be on a branch, or give --head')
    const title =
      option('--title') ?? fail('must provide `--title` and `--body` when not running interactively')
    const base = option('--base') ?? (await call('GET', api)).default_branch
    const made = await call('POST', `${api}/pulls`, {
      head: `${owner}:${head}`,
      base,
      title,
      body: body() ?? '',
    })
    print(made.html_url)
  },
  'pr comment': async () => {
    const { number: n } = await pull()
    print((await call('POST', `${api}/issues/${n}/comments`, { body: body() })).html_url)
  },
  'api graphql': async () => {
    const fields = [...(options.get('--raw-field') ?? []), ...(options.get('--field') ?? [])].map(text => {
      const at = text.indexOf('=')
      return at < 0
        ? fail(`field "${text}" requires a value separated by an '=' sign`)
        : [text.slice(0, at), text.slice(at + 1)]
    })
    const { query, ...variables } = Object.fromEntries(fields)
    const answer = await call('POST', '/graphql', { query, variables })
    print(JSON.stringify(answer))
    if (answer.errors) fail(`gh: ${answer.errors.map(({ message }) => message).join('; ')}`)
  },
}

await RUN[name]()
