import type { RewriteTrial } from '../../../ports/agent.ts'

/**
 * A run of Claude Code in an empty home, with one scripted turn in place of its model: a hook replaces the only command. It
 * needs no login, costs nothing and reaches no network.
 */
export const rewriteTrial: RewriteTrial = {
  args: ['-p', '--permission-mode', 'auto', 'Run the command.'],
  env: ({ home, url }) => ({
    CLAUDE_CONFIG_DIR: `${home}/.claude`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'no-key-is-needed',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  }),
  // The shell that runs the hook expands the variable: nothing is quoted into the command.
  files: ({ replacement, answerVariable }) => ({
    '.claude/settings.json': JSON.stringify({
      hooks: {
        PreToolUse: [SILENT, `cat "$${answerVariable}"`, ALLOWING].map(command => ({
          matcher: 'Bash',
          hooks: [{ type: 'command', command }],
        })),
      },
    }),
    answer: JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: 'a trial of Baton',
        updatedInput: { command: replacement },
      },
    }),
  }),
  reply({ path, body, command }) {
    if (path !== '/v1/messages') return { type: 'application/json', text: '{"input_tokens":1}' }
    const offers = listIn(body, 'tools').some(tool => Reflect.get(tool, 'name') === 'Bash')
    const isFirst = !JSON.stringify(Reflect.get(body, 'messages') ?? '').includes('"tool_result"')
    const block: Block =
      offers && isFirst
        ? { type: 'tool_use', id: 'toolu_trial', name: 'Bash', input: { command } }
        : { type: 'text', text: 'Done.' }
    return messageOf(block, Reflect.get(body, 'stream') === true)
  },
}

/** Other hooks of the user, before and after: one that says nothing, one that allows the command as it is. */
const SILENT = 'true'
const ALLOWING = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`

type Block =
  | { type: 'tool_use'; id: string; name: string; input: { command: string } }
  | { type: 'text'; text: string }

function messageOf(block: Block, isStreamed: boolean): { type: string; text: string } {
  const isCall = block.type === 'tool_use'
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_trial', type: 'message', role: 'assistant', model: 'trial', stop_sequence: null }
  const stop_reason = isCall ? 'tool_use' : 'end_turn'
  if (!isStreamed)
    return {
      type: 'application/json',
      text: JSON.stringify({ ...message, content: [block], stop_reason, usage }),
    }
  const content_block = isCall ? { ...block, input: {} } : { ...block, text: '' }
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text }
  const events: [string, object][] = [
    ['message_start', { message: { ...message, content: [], stop_reason: null, usage } }],
    ['content_block_start', { index: 0, content_block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage }],
    ['message_stop', {}],
  ]
  return {
    type: 'text/event-stream',
    text: events
      .map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
      .join(''),
  }
}

const listIn = (body: object, key: string): object[] => {
  const list: unknown = Reflect.get(body, key)
  return Array.isArray(list) ? list.filter(each => typeof each === 'object' && each !== null) : []
}
