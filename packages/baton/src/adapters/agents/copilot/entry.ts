import type { AgentEntry } from '../../../ports/agent.ts'

export const entry: AgentEntry = {
  title: 'Copilot CLI',
  letters: 'Co',
  programs: ['copilot'],
  env: ['COPILOT_(?:HOME|CACHE_HOME|GITHUB_TOKEN|GH_HOST|MODEL|PROVIDER_.*|OFFLINE|AUTO_UPDATE)'],
}
