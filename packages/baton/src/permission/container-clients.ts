/** Programs that start containers. What they start is not in the sandbox, and may mount any folder of this machine. */
const CLIENT =
  /^(?:[A-Za-z_]\w*=\S* )*(?:\S*\/)?(docker|docker-compose|podman|podman-compose|nerdctl|buildah|ctr|crictl|lima|limactl|colima)(?= |$)/

/** What a rule that allows a container client means. Shown wherever such a rule is. */
export const ENDS_CONTAINMENT =
  'this ends containment: a container can read and change everything that you can, your home folder and logins included'

/** Whether a part of a command calls a container client. */
export const isContainerClient = (part: string): boolean => CLIENT.test(part)

/** Calls with which `baton doctor` finds rules that allow a container client. */
export const CONTAINER_CALLS: readonly string[] = ['docker', 'podman', 'nerdctl']
  .flatMap(client =>
    ['run alpine', 'build .', 'compose up', 'exec web sh', 'start web'].map(rest => `${client} ${rest}`),
  )
  .concat('docker-compose up', 'podman-compose up')

/** Whether the text of a rule names a container client. */
export const mentionsContainers = (rule: string): boolean =>
  /\b(docker|podman|nerdctl|buildah|crictl|limactl|colima)\b/.test(rule)
