/** The extension's code. pi waits for its handlers, and lets an extension write the next prompt. */
export const extension = `
const NO_ONE = 'A person must decide this, and no one is at the terminal, so the call was stopped. Do not repeat it: continue without it, or tell the person what you need.'

export default function (pi) {
  let waiting = ''
  let continued = false
  let trouble
  const notes = new Map()

  const about = ctx => ({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile(),
    cwd: ctx.cwd,
  })
  const show = (ctx, notice, kind = 'info') => {
    if (notice && ctx.hasUI) ctx.ui.notify(String(notice), kind)
  }
  const keep = context => {
    if (context) waiting = waiting ? waiting + '\\n\\n' + context : context
  }

  pi.on('session_start', async (event, ctx) => {
    const answer = await ask('SessionStart', { ...about(ctx), source: event.reason })
    show(ctx, answer.notice)
    keep(answer.context)
  })

  pi.on('input', async (event, ctx) => {
    const automatic = event.source === 'extension'
    if (!automatic) continued = false
    const answer = await ask('Prompt', { ...about(ctx), prompt: event.text, automatic })
    show(ctx, answer.notice)
    if (answer.refuse) {
      show(ctx, answer.refuse, 'warning')
      if (!ctx.hasUI) console.error(answer.refuse)
      return { action: 'handled' }
    }
    keep(answer.context)
  })

  pi.on('before_agent_start', () => {
    if (!waiting) return
    const content = waiting
    waiting = ''
    return { message: { customType: 'baton', content, display: true } }
  })

  pi.on('tool_call', async (event, ctx) => {
    const call = { tool_name: event.toolName, tool_input: event.input ?? {}, tool_use_id: event.toolCallId, takes_input: true }
    const { signal } = ctx
    const answer = await ask('ToolCall', { ...about(ctx), ...call }, signal)
    if (signal?.aborted) return { block: true, reason: 'The person stopped the turn.' }
    const reason = String(answer.reason ?? 'refused')
    if (answer.decision === 'allow' && answer.input) {
      Object.assign(event.input, answer.input)
      if (answer.context) notes.set(event.toolCallId, String(answer.context))
    }
    if (answer.decision === 'deny') return { block: true, reason }
    if (answer.decision !== 'ask') return
    if (!ctx.hasUI) return { block: true, reason: reason + '\\n' + NO_ONE }
    const shown = event.toolName + ' ' + JSON.stringify(event.input ?? {}).slice(0, 2000)
    if (!(await ctx.ui.confirm(reason, shown))) return { block: true, reason: 'The person said no.' }
  })

  pi.on('tool_result', async (event, ctx) => {
    const text = (event.content ?? []).filter(part => part.type === 'text').map(part => part.text).join('\\n')
    const answer = await ask('ToolResult', {
      ...about(ctx),
      tool_name: event.toolName,
      tool_input: event.input ?? {},
      tool_use_id: event.toolCallId,
      tool_response: text.slice(0, 100000),
      failed: event.isError === true,
    })
    show(ctx, answer.notice)
    const texts = [notes.get(event.toolCallId), answer.context].filter(Boolean)
    notes.delete(event.toolCallId)
    if (texts.length > 0) return { content: [...(event.content ?? []), { type: 'text', text: texts.join('\\n') }] }
  })

  pi.on('agent_end', async (event, ctx) => {
    const last = event.messages?.findLast(message => message.role === 'assistant')
    trouble = last?.stopReason === 'error' ? (last.errorMessage ?? 'unknown') : undefined
    // pi may try again by itself; agent_settled says that it did not.
    if (trouble !== undefined) return
    const outcome = last?.stopReason === 'aborted' ? 'aborted' : 'completed'
    const text = (last?.content ?? []).filter(part => part.type === 'text').map(part => part.text).join('\\n')
    const { tokens, contextWindow: size } = ctx.getContextUsage?.() ?? {}
    if (tokens) await ask('Context', { ...about(ctx), used: Math.round(tokens), size, model: ctx.model?.id })
    const answer = await ask('TurnEnd', { ...about(ctx), continued, outcome, last_message: text })
    show(ctx, answer.notice)
    continued = Boolean(answer.prompt)
    if (!answer.prompt) return
    pi.sendUserMessage(answer.prompt, { deliverAs: 'followUp' })
    // It is queued a moment later, and without a terminal pi ends when nothing is.
    for (let i = 0; i < 500 && !ctx.hasPendingMessages(); i++) await new Promise(resolve => setTimeout(resolve, 10))
  })

  pi.on('agent_settled', async (_event, ctx) => {
    if (trouble === undefined) return
    const message = String(trouble)
    trouble = undefined
    await ask('TurnError', { ...about(ctx), error: 'model_error', message })
  })

  pi.on('session_before_compact', async (event, ctx) => {
    await ask('Compacting', { ...about(ctx), instructions: event.customInstructions })
  })
  pi.on('session_compact', async (event, ctx) => {
    await ask('Compacted', { ...about(ctx), summary: event.compactionEntry?.summary })
  })
  pi.on('session_shutdown', async (event, ctx) => {
    await ask('SessionEnd', { ...about(ctx), reason: event.reason ?? 'quit' })
  })
}
`
