/** The part of the plugin that follows conversations: when they start and end, and what happens when one is idle. */
export const pluginSessions = `
const DATABASE = join(process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'opencode', 'opencode.db')

class Sessions {
  created = new Set()
  started = new Set()
  parents = new Map()
  ours = new Map()
  failed = new Map()
  windows = new Map()
  busy = new Set()
  // Its terminal shows one conversation at a time; a server may have many.
  inTerminal = process.argv.some(word => word.includes('/tui/'))
  shown

  constructor({ client, directory }) {
    this.client = client
    this.directory = directory
    process.on('exit', () => {
      for (const id of this.started) tellLast('SessionEnd', { ...this.about(id), reason: 'exit' })
    })
  }

  rootOf(id) {
    let root = id
    for (let i = 0; this.parents.has(root) && i < 20; i++) root = this.parents.get(root)
    return root
  }

  about(id) {
    return {
      session_id: this.rootOf(id),
      cwd: this.directory,
      transcript_path: DATABASE + '#' + this.rootOf(id),
      ...(this.parents.has(id) ? { agent_id: id } : {}),
    }
  }

  show(notice) {
    if (notice) this.client.tui?.showToast?.({ body: { message: String(notice), variant: 'info' } })?.catch?.(() => {})
  }

  // A prompt came: the session starts with the first one.
  async enter(id) {
    this.shown = id
    this.busy.add(id)
    const left = this.inTerminal ? [...this.started].filter(other => other !== id && !this.busy.has(other)) : []
    for (const other of left) await this.leave(other)
    if (this.started.has(id)) return undefined
    this.started.add(id)
    const answer = await ask('SessionStart', { ...this.about(id), source: this.created.has(id) ? 'startup' : 'resume' })
    this.show(answer.notice)
    return answer.context
  }

  // opencode reports no end when \`/new\` or another conversation takes a session's place.
  async leave(id) {
    if (this.started.delete(id)) await ask('SessionEnd', { ...this.about(id), reason: 'new' })
  }

  async lastMessage(id) {
    try {
      const { data } = await this.client.session.messages({ path: { id }, query: { limit: 5 } })
      return data?.findLast(each => each.info.role === 'assistant')
    } catch {
      return undefined
    }
  }

  async tellContext(id, { tokens, modelID }) {
    const { input = 0, output = 0, reasoning = 0, cache } = tokens ?? {}
    const used = input + output + reasoning + (cache?.read ?? 0) + (cache?.write ?? 0)
    const size = this.windows.get(modelID)
    if (used > 0) await ask('Context', { ...this.about(id), used, size, model: modelID })
  }

  async idle(id) {
    this.busy.delete(id)
    if (this.parents.has(id) || !this.started.has(id)) return
    const outcome = this.failed.get(id) ?? 'completed'
    this.failed.delete(id)
    const continued = this.ours.has(id)
    const last = await this.lastMessage(id)
    if (last) await this.tellContext(id, last.info)
    const text = last?.parts.filter(part => part.type === 'text').map(part => part.text).join('\\n')
    const answer = await ask('TurnEnd', { ...this.about(id), continued, outcome, last_message: text })
    this.show(answer.notice)
    if (!answer.prompt) {
      this.ours.delete(id)
      if (this.inTerminal && this.shown !== id && !this.busy.has(id)) await this.leave(id)
      return
    }
    this.ours.set(id, answer.prompt)
    await this.client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: answer.prompt }] } })
  }

  async failedWith(id, { name = 'unknown', data }) {
    const isAborted = name === 'MessageAbortedError'
    this.failed.set(id, isAborted ? 'aborted' : 'error')
    if (!isAborted && !this.parents.has(id))
      await ask('TurnError', { ...this.about(id), error: name, message: data?.message })
  }
}
`
