/** The agent as two letters. */
export function Glyph({ agent }: { agent: keyof typeof LETTERS }) {
  return (
    <span class="glyph" aria-hidden="true">
      {LETTERS[agent]}
    </span>
  )
}

const LETTERS = {
  'claude-code': 'Cc',
  cursor: 'Cu',
  codex: 'Cx',
  opencode: 'Oc',
  gemini: 'Ge',
  copilot: 'Co',
  pi: 'π',
} as const
