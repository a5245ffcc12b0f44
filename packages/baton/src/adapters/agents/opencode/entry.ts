import type { AgentEntry } from '../../../ports/agent.ts'
import { SERVICE_KEYS } from '../service-keys.ts'

export const entry: AgentEntry = {
  title: 'opencode',
  letters: 'Oc',
  programs: ['opencode'],
  env: ['OPENCODE_(?:CONFIG.*|API_KEY|AUTH_CONTENT|MODELS_.*|DISABLE_.*)', SERVICE_KEYS],
}
