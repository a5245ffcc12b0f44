/** A process that runs now. */
export interface RunningProcess {
  pid: number
  parent: number
  /** When it began, as the system tells it: a number that was given out again has another. */
  born: string
  command: string
}

/** The processes of this machine. */
export interface Processes {
  alive(pid: number): boolean
  /** Undefined when it is gone. */
  born(pid: number): Promise<string | undefined>
  /** When it began, in milliseconds since the epoch; undefined when it is gone or the system does not tell. */
  since(pid: number): Promise<number | undefined>
  /** All that can be seen; empty where the system does not tell. */
  table(): Promise<RunningProcess[]>
}
