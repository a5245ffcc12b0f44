import { driverContract } from '../../contracts/driver.contract.ts'
import { until } from '../../world/wait.ts'
import { tmuxWorld } from './world.ts'

driverContract('tmux', async () => {
  const world = tmuxWorld()
  // A server of the person's own, where something else runs already.
  world.tmux('new-session', '-d', '-s', 'mine', '-x', '100', '-y', '30', 'cat')
  return {
    driver: world.driver,
    agent: 'claude-code',
    order: world.order,
    prompts: async place =>
      world.told(place).filter((told): told is string => typeof told === 'string' && told !== '/clear'),
    conversations: async place => {
      const began = () =>
        world.told(place).filter(told => typeof told === 'object' && told && 'began' in told)
      return until(() => began().length, { what: 'a conversation' })
    },
    nowhere: `%999 ${world.socket}`,
    stranger: async () => {
      const { launch } = world.order('stranger')
      const id = world.tmux(
        ...['new-session', '-d', '-P', '-F', '#{pane_id}', '-x', '100', '-y', '30'],
        ...['--', launch.program, ...launch.args],
      )
      const place = `${id.trim()} ${world.socket}`
      await until(async () => (await world.driver.readScreen(place, 'claude-code')).state === 'waiting', {
        what: 'the stranger to be ready',
      })
      return place
    },
    person: async place => void world.tmux('send-keys', '-t', place.split(' ')[0] ?? '', '-l', 'half a'),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
})
