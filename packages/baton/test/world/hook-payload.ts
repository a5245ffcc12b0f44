/** What agents send to their hooks, with the fields that matter here. */
export const claudePayload = (
  event: string,
  cwd: string,
  command: string,
  more: Record<string, unknown> = {},
) =>
  JSON.stringify({
    session_id: '11111111-2222-4333-8444-555555555555',
    cwd,
    permission_mode: 'default',
    hook_event_name: event,
    tool_name: 'Bash',
    tool_input: { command },
    ...more,
  })

export const cursorPayload = (event: string, cwd: string, more: Record<string, unknown>) =>
  JSON.stringify({
    conversation_id: '3f0e5c1a-9a57-4a3e-8a0b-0d6a3c1f7e21',
    generation_id: 'b2c4a7d0-11f4-4c1e-9d0e-5a6c7f8e9d10',
    cursor_version: '2.4.21',
    workspace_roots: [cwd],
    hook_event_name: event,
    ...more,
  })
