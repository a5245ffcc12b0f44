/** A running process. */
export interface RunningProcess {
  pid: number
  parent: number
  /** The start time as the system reports it. It differs when the system reuses a pid. */
  born: string
  command: string
}

/** The processes of this machine. */
export interface Processes {
  alive(pid: number): boolean
  /** The pids of all processes in one call, where that is cheap; undefined where it is not. */
  pids?(): Promise<ReadonlySet<number> | undefined>
  /** Undefined if the process is gone. */
  born(pid: number): Promise<string | undefined>
  /** When it started, in milliseconds since the epoch; undefined if it is gone or the system does not report it. */
  since(pid: number): Promise<number | undefined>
  /** All visible processes; empty if the system does not report them. */
  table(): Promise<RunningProcess[]>
}
