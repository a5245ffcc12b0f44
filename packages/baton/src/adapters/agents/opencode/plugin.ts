import { pluginPermissions } from './plugin-permissions.ts'
import { pluginSessions } from './plugin-sessions.ts'
import { pluginTools } from './plugin-tools.ts'

/** What opencode calls. */
const hooks = `
export const Baton = async opencode => {
  const { client, directory } = opencode
  const sessions = new Sessions(opencode)
  const calls = new ToolCalls(sessions)
  const typed = new Map()
  const waiting = new Map()
  const about = id => sessions.about(id)

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
      const { parents } = sessions
      if (type === 'session.created') {
        sessions.created.add(id)
        if (properties.info?.parentID) parents.set(id, properties.info.parentID)
      } else if (type === 'session.idle') await sessions.idle(id)
      else if (type === 'session.error' && id) await sessions.failedWith(id, properties.error ?? {})
      else if (type === 'session.compacted' && !parents.has(id)) await ask('Compacted', about(id))
      else if (type === 'session.deleted' && sessions.started.delete(id))
        await ask('SessionEnd', { ...about(id), reason: 'deleted' })
      // Not awaited: opencode would handle no other event before the person answers.
      else if (type === 'question.asked') void question(id, properties).catch(() => {})
      else if (type === 'question.replied' || type === 'question.rejected') waiting.get(properties.requestID)?.abort()
      else if (type === 'permission.asked' || type === 'permission.updated')
        await answerPermission(id, properties, calls, opencode)
    },

    async 'command.execute.before'({ command, sessionID, arguments: words }) {
      typed.set(sessionID, ('/' + command + ' ' + (words ?? '')).trim())
    },

    async 'chat.message'({ sessionID: id }, output) {
      if (sessions.parents.has(id)) return
      const contexts = [await sessions.enter(id)]
      const parts = output.parts.filter(part => part.type === 'text' && !part.synthetic)
      // Its terminal puts a blank behind what is pasted.
      const text = typed.get(id) ?? parts.map(part => part.text).join('\\n').trimEnd()
      typed.delete(id)
      const automatic = sessions.ours.get(id)?.trimEnd() === text
      if (!automatic) sessions.ours.delete(id)
      const answer = await ask('Prompt', { ...about(id), prompt: text, automatic })
      sessions.show(answer.notice)
      contexts.push(answer.context)
      if (answer.refuse) throw new Error(answer.refuse)
      const context = contexts.filter(Boolean).join('\\n\\n')
      const last = output.parts.at(-1)
      if (context && last)
        output.parts.push({ id: last.id + '0', sessionID: id, messageID: output.message.id, type: 'text', text: context, synthetic: true })
    },

    async 'chat.params'({ model }) {
      if (model?.limit?.context) sessions.windows.set(model.id, model.limit.context)
    },

    async 'tool.execute.before'(call, given) {
      await calls.before(call, given)
    },

    async 'tool.execute.after'(call, output) {
      await calls.after(call, output)
    },

    async 'experimental.chat.messages.transform'(_input, { messages }) {
      calls.showCommands(messages)
    },

    async 'experimental.session.compacting'({ sessionID }) {
      if (!sessions.parents.has(sessionID)) await ask('Compacting', about(sessionID))
    },
  }
}
`

/**
 * The plugin's code. opencode has no hook for the end of a turn that it would wait for: the plugin hears that the session is
 * idle and sends the next prompt itself, which works where opencode keeps running (its terminal, `serve`, ACP).
 */
export const plugin = pluginSessions + pluginTools + pluginPermissions + hooks
