/** The part of the plugin that follows tool calls: what Baton says before each, what runs instead, and what came of it. */
export const pluginTools = `
class ToolCalls {
  allowed = new Set()
  replaced = new Map()
  commands = new Map()

  constructor(sessions) {
    this.sessions = sessions
  }

  // A command that runs in the sandbox is allowed only in the form that does.
  isAllowed(properties) {
    const id = properties.tool?.callID ?? properties.callID
    const text = this.replaced.get(id)?.text
    return this.allowed.has(id) && (text === undefined || JSON.stringify(properties).includes(text.slice(1, -1)))
  }

  async before({ tool, sessionID, callID }, { args }) {
    const call = { tool_name: tool, tool_input: args, tool_use_id: callID, takes_input: true }
    const answer = await ask('ToolCall', { ...this.sessions.about(sessionID), ...call })
    if (answer.decision === 'allow') this.allowed.add(callID)
    if (answer.decision === 'allow' && answer.input) {
      this.commands.set(callID, args.command)
      this.replaced.set(callID, { text: JSON.stringify(answer.input.command), note: answer.context })
      Object.assign(args, answer.input)
    }
    if (answer.decision === 'deny' || answer.decision === 'ask') throw new Error(answer.reason ?? 'refused')
  }

  async after({ tool, sessionID, callID, args }, output) {
    this.allowed.delete(callID)
    const exit = output?.metadata?.exit
    const { note } = this.replaced.get(callID) ?? {}
    this.replaced.delete(callID)
    const answer = await ask('ToolResult', {
      ...this.sessions.about(sessionID),
      tool_name: tool,
      tool_input: args ?? {},
      tool_use_id: callID,
      tool_response: String(output?.output ?? '').slice(0, 100000),
      failed: typeof exit === 'number' && exit !== 0,
    })
    this.sessions.show(answer.notice)
    const notes = [note, answer.context].filter(Boolean)
    if (notes.length > 0 && typeof output?.output === 'string') output.output += '\\n' + notes.join('\\n')
  }

  // opencode's record holds what ran; the model reads the command itself.
  showCommands(messages) {
    for (const part of messages.flatMap(message => message.parts)) {
      const command = this.commands.get(part.callID)
      if (command !== undefined && part.state?.input) part.state = { ...part.state, input: { ...part.state.input, command } }
    }
  }
}
`
