/** Facts about one running process. */
export interface ProcessFacts {
  pid: number
  /** The command line, split into arguments if the system reports them, and the program file behind it. */
  words: readonly string[]
  program: string | undefined
  /** Has a controlling terminal. */
  terminal: boolean
  /** The leader of its terminal session (the shell of that terminal), if the system reports it. */
  sessionLeader?: number
  /** Names of its environment variables, if they can be read. */
  environment: readonly string[]
}

/** The two ports of a TCP connection on 127.0.0.1. */
export interface LocalConnection {
  clientPort: number
  serverPort: number
}

/** Which process started which, and which processes are at the client's end of a connection. */
export interface Ancestry {
  /** The process and its ancestors, nearest first; undefined if the walk did not reach the first process. */
  ancestorsOf(pid: number): Promise<ProcessFacts[] | undefined>
  /** Every process (or every one `among` these) that holds the client's end open, as the kernel says; none if Baton cannot tell. */
  clientsOf(connection: LocalConnection, among?: readonly number[]): Promise<readonly number[]>
}
