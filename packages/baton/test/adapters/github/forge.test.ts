import { gitHub } from '../../../src/adapters/github/forge.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { forgeContract } from '../../contracts/forge.contract.ts'
import { fakeGitHub } from '../../world/github.ts'

forgeContract({
  title: 'GitHub',
  world: () => fakeGitHub(),
  forge: (world, { board, token = world.token } = {}) =>
    gitHub({
      repository: { host: 'github.com', owner: 'acme', name: 'app' },
      clock: systemClock,
      token,
      // In the form of GitHub Enterprise, which has its own path for GraphQL.
      apiUrl: `${world.url}/api/v3`,
      paced: false,
      retryPause: 0,
      ...(board ? { board } : {}),
    }),
})
