/** How long a program may take to go when its terminal does, and when it is told to. */
const HUNG_UP_MS = 1500
const TOLD_MS = 3000

/** Ends what outlives its terminal, as Gemini CLI does: what a pane ran is the leader of its own process group. */
export async function killGroup(
  pid: number,
  eventually: (holds: () => Promise<boolean>, withinMs: number) => Promise<boolean>,
): Promise<void> {
  const isGone = async () => !signal(pid, 0)
  if (await eventually(isGone, HUNG_UP_MS)) return
  signal(-pid, 'SIGTERM')
  if (!(await eventually(isGone, TOLD_MS))) signal(-pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
