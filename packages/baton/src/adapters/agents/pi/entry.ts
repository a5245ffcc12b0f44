import type { AgentEntry } from '../../../ports/agent.ts'
import { SERVICE_KEYS } from '../service-keys.ts'

export const entry: AgentEntry = {
  title: 'pi',
  letters: 'π',
  programs: ['pi', 'omp'],
  env: ['PI_(?:CODING_AGENT_DIR|CODING_AGENT_SESSION_DIR|PACKAGE_DIR|OFFLINE)', SERVICE_KEYS],
}
