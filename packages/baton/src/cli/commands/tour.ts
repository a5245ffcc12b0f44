import { EXIT, flag, type Handler, text } from '../command.ts'
import { scriptedAgent } from '../tour/agent/agent.ts'
import { runTour } from '../tour/tour.ts'

const PACE_MS = 700

/** Shows what Baton does, in a world of its own that goes away afterwards. */
export const tour: Handler = (given, io) =>
  runTour({ yes: flag(given, 'yes'), paceMs: paceIn(text(given, 'pace')), keep: flag(given, 'keep') }, io)

/** The agent of the tour, inside its terminal. */
export const tourAgent: Handler = async (given, io) => {
  await scriptedAgent({
    home: io.home,
    cwd: io.cwd,
    paceMs: paceIn(text(given, 'pace')),
    input: process.stdin,
    output: process.stdout,
  })
  return EXIT.ok
}

const paceIn = (given: string | undefined): number => {
  const pace = Number(given ?? PACE_MS)
  return Number.isFinite(pace) && pace >= 0 && pace <= 10_000 ? pace : PACE_MS
}
