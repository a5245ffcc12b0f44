import { AGENTS } from '@batonpass/contract/agents'

/** The agent as two letters. */
export function Glyph({ agent }: { agent: keyof typeof AGENTS }) {
  return (
    <span class="glyph" aria-hidden="true">
      {AGENTS[agent].letters}
    </span>
  )
}
