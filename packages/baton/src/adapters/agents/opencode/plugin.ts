/**
 * The plugin's code. opencode has no hook for the end of a turn that it would wait for: the plugin hears that the session is
 * idle and sends the next prompt itself, which works where opencode keeps running (its terminal, `serve`, ACP).
 */
export const plugin = `
const DATABASE = join(process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'opencode', 'opencode.db')

export const Baton = async ({ client, directory }) => {
  const created = new Set()
  const started = new Set()
  const parents = new Map()
  const typed = new Map()
  const ours = new Map()
  const allowed = new Set()
  const replaced = new Map()
  const commands = new Map()
  const failed = new Map()
  const windows = new Map()
  const busy = new Set()
  const waiting = new Map()
  // Its terminal shows one conversation at a time; a server may have many.
  const inTerminal = process.argv.some(word => word.includes('/tui/'))
  let shown

  const rootOf = id => {
    let root = id
    for (let i = 0; parents.has(root) && i < 20; i++) root = parents.get(root)
    return root
  }
  const about = id => ({
    session_id: rootOf(id),
    cwd: directory,
    transcript_path: DATABASE + '#' + rootOf(id),
    ...(parents.has(id) ? { agent_id: id } : {}),
  })
  const show = notice => {
    if (notice) client.tui?.showToast?.({ body: { message: String(notice), variant: 'info' } })?.catch?.(() => {})
  }

  process.on('exit', () => {
    for (const id of started) tellLast('SessionEnd', { ...about(id), reason: 'exit' })
  })

  // opencode reports no end when \`/new\` or another conversation takes a session's place.
  async function leave(id) {
    if (started.delete(id)) await ask('SessionEnd', { ...about(id), reason: 'new' })
  }

  async function lastMessage(id) {
    try {
      const { data } = await client.session.messages({ path: { id }, query: { limit: 5 } })
      return data?.findLast(each => each.info.role === 'assistant')
    } catch {
      return undefined
    }
  }

  async function tellContext(id, { tokens, modelID }) {
    const { input = 0, output = 0, reasoning = 0, cache } = tokens ?? {}
    const used = input + output + reasoning + (cache?.read ?? 0) + (cache?.write ?? 0)
    if (used > 0) await ask('Context', { ...about(id), used, size: windows.get(modelID), model: modelID })
  }

  async function idle(id) {
    busy.delete(id)
    if (parents.has(id) || !started.has(id)) return
    const outcome = failed.get(id) ?? 'completed'
    failed.delete(id)
    const continued = ours.has(id)
    const last = await lastMessage(id)
    if (last) await tellContext(id, last.info)
    const text = last?.parts.filter(part => part.type === 'text').map(part => part.text).join('\\n')
    const answer = await ask('TurnEnd', { ...about(id), continued, outcome, last_message: text })
    show(answer.notice)
    if (!answer.prompt) {
      ours.delete(id)
      if (inTerminal && shown !== id && !busy.has(id)) await leave(id)
      return
    }
    ours.set(id, answer.prompt)
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: answer.prompt }] } })
  }

  // A command that runs in the sandbox is allowed only in the form that does.
  function isAllowed(properties) {
    const id = properties.tool?.callID ?? properties.callID
    const text = replaced.get(id)?.text
    return allowed.has(id) && (text === undefined || JSON.stringify(properties).includes(text.slice(1, -1)))
  }

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
  async function asksByPattern({ permission, type, patterns, pattern }) {
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

  async function answerPermission(id, properties) {
    if (!isAllowed(properties) || (await asksByPattern(properties).catch(() => true))) return
    // Baton allowed the call already: no one needs to be asked again.
    await client.postSessionIdPermissionsPermissionId({ path: { id, permissionID: properties.id }, body: { response: 'once' } })
  }

  // Its dialog is on the screen meanwhile; the first answer counts.
  async function question(id, { id: request, questions, tool }) {
    const asked = { tool_name: 'question', tool_input: { questions }, tool_use_id: tool?.callID }
    const leaving = new AbortController()
    waiting.set(request, leaving)
    const answer = await ask('Question', { ...about(id), ...asked }, leaving.signal)
    waiting.delete(request)
    const way = answer.answers ? 'reply' : answer.dismiss ? 'reject' : undefined
    if (!way || leaving.signal.aborted) return
    const body = answer.answers ? { body: { answers: answer.answers }, headers: { 'Content-Type': 'application/json' } } : {}
    await client._client.post({ url: '/question/{request}/' + way, path: { request }, query: { directory }, ...body })
  }

  return {
    async event({ event }) {
      const { type, properties = {} } = event
      const id = properties.sessionID ?? properties.info?.id
      if (type === 'session.created') {
        created.add(id)
        if (properties.info?.parentID) parents.set(id, properties.info.parentID)
      } else if (type === 'session.idle') await idle(id)
      else if (type === 'session.error' && id) {
        const { name = 'unknown', data } = properties.error ?? {}
        failed.set(id, name === 'MessageAbortedError' ? 'aborted' : 'error')
        if (name !== 'MessageAbortedError' && !parents.has(id))
          await ask('TurnError', { ...about(id), error: name, message: data?.message })
      } else if (type === 'session.compacted' && !parents.has(id)) await ask('Compacted', about(id))
      else if (type === 'session.deleted' && started.delete(id))
        await ask('SessionEnd', { ...about(id), reason: 'deleted' })
      // Not awaited: opencode would handle no other event before the person answers.
      else if (type === 'question.asked') void question(id, properties).catch(() => {})
      else if (type === 'question.replied' || type === 'question.rejected') waiting.get(properties.requestID)?.abort()
      else if (type === 'permission.asked' || type === 'permission.updated') await answerPermission(id, properties)
    },

    async 'command.execute.before'({ command, sessionID, arguments: words }) {
      typed.set(sessionID, ('/' + command + ' ' + (words ?? '')).trim())
    },

    async 'chat.message'({ sessionID: id }, output) {
      if (parents.has(id)) return
      const contexts = []
      shown = id
      busy.add(id)
      const left = inTerminal ? [...started].filter(other => other !== id && !busy.has(other)) : []
      for (const other of left) await leave(other)
      if (!started.has(id)) {
        started.add(id)
        const answer = await ask('SessionStart', { ...about(id), source: created.has(id) ? 'startup' : 'resume' })
        show(answer.notice)
        contexts.push(answer.context)
      }
      const parts = output.parts.filter(part => part.type === 'text' && !part.synthetic)
      // Its terminal puts a blank behind what is pasted.
      const text = typed.get(id) ?? parts.map(part => part.text).join('\\n').trimEnd()
      typed.delete(id)
      const automatic = ours.get(id)?.trimEnd() === text
      if (!automatic) ours.delete(id)
      const answer = await ask('Prompt', { ...about(id), prompt: text, automatic })
      show(answer.notice)
      contexts.push(answer.context)
      if (answer.refuse) throw new Error(answer.refuse)
      const context = contexts.filter(Boolean).join('\\n\\n')
      const last = output.parts.at(-1)
      if (context && last)
        output.parts.push({ id: last.id + '0', sessionID: id, messageID: output.message.id, type: 'text', text: context, synthetic: true })
    },

    async 'chat.params'({ model }) {
      if (model?.limit?.context) windows.set(model.id, model.limit.context)
    },

    async 'tool.execute.before'({ tool, sessionID, callID }, { args }) {
      const answer = await ask('ToolCall', { ...about(sessionID), tool_name: tool, tool_input: args, tool_use_id: callID, takes_input: true })
      if (answer.decision === 'allow') allowed.add(callID)
      if (answer.decision === 'allow' && answer.input) {
        commands.set(callID, args.command)
        replaced.set(callID, { text: JSON.stringify(answer.input.command), note: answer.context })
        Object.assign(args, answer.input)
      }
      if (answer.decision === 'deny' || answer.decision === 'ask') throw new Error(answer.reason ?? 'refused')
    },

    async 'tool.execute.after'({ tool, sessionID, callID, args }, output) {
      allowed.delete(callID)
      const exit = output?.metadata?.exit
      const { note } = replaced.get(callID) ?? {}
      replaced.delete(callID)
      const answer = await ask('ToolResult', {
        ...about(sessionID),
        tool_name: tool,
        tool_input: args ?? {},
        tool_use_id: callID,
        tool_response: String(output?.output ?? '').slice(0, 100000),
        failed: typeof exit === 'number' && exit !== 0,
      })
      show(answer.notice)
      const notes = [note, answer.context].filter(Boolean)
      if (notes.length > 0 && typeof output?.output === 'string') output.output += '\\n' + notes.join('\\n')
    },

    // Its record holds what ran; the model reads the command itself.
    async 'experimental.chat.messages.transform'(_input, { messages }) {
      for (const part of messages.flatMap(message => message.parts)) {
        const command = commands.get(part.callID)
        if (command !== undefined && part.state?.input) part.state = { ...part.state, input: { ...part.state.input, command } }
      }
    },

    async 'experimental.session.compacting'({ sessionID }) {
      if (!parents.has(sessionID)) await ask('Compacting', about(sessionID))
    },
  }
}
`
