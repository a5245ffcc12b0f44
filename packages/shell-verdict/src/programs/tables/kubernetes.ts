import type { ProgramTable } from '../spec.ts'

const GLOBALS =
  '-n|--namespace= --context= --cluster= --kubeconfig=!no --user= --as= --as-group= --request-timeout= --server=!no -s=!no --token= --v= -v= --insecure-skip-tls-verify --certificate-authority= --client-certificate= --client-key= --cache-dir= --match-server-version -h|--help'

/** Flags of the commands that list and show. */
const READ = {
  kind: 'read',
  flags: `-A|--all-namespaces -o|--output= -l|--selector= -f|--filename|--follow? -R|--recursive -k|--kustomize= -w|--watch --watch-only --show-labels --show-kind --show-events --show-managed-fields --no-headers --sort-by= --field-selector= --ignore-not-found --chunk-size= -c|--container= --all-containers --since= --since-time= --tail= -p|--previous --timestamps --prefix
    --max-log-requests= --limit-bytes= --pod-running-timeout= --containers --use-protocol-buffers --api-group= --namespaced --verbs= --cached --categories= --client --short --list -q|--quiet --subresource= --types= --for= --revision= --timeout= --template= --allow-missing-template-keys --server-print --output-watch-events --resource-version= --minify --flatten
    --no-log-prefix -i|--include= -e|--exclude= --exclude-container= --color= -t --pods`,
} as const
const KUSTOMIZE_FLAGS = `${READ.flags} --enable-helm!exec --enable-exec!exec --enable-alpha-plugins!exec --output-directory=:write --namespaces= --server-side --field-manager= --force-conflicts --prune --concurrency= -e= --env= --load-restrictor= --reorder= --as-current-user`

/** Helm's commands that list, show and render. */
const HELM = {
  kind: 'read',
  flags: `-A|--all-namespaces -a|--all --deployed --failed --pending --superseded --uninstalled --uninstalling -d|--date -r|--reverse -f|--filter|--values= -l|--selector|--versions -m|--max= --offset= -q|--short -o|--output= --time-format= --no-headers --revision= --show-desc --show-resources --version= --devel --repo= --verify --username= --password= --keyring= --ca-file= --cert-file= --key-file=
    --insecure-skip-tls-verify --plain-http --pass-credentials --set= --set-string= --set-file= --set-json= --set-literal= --strict --with-subcharts --quiet --skip-schema-validation --kube-version= --api-versions= -s|--show-only= --include-crds --skip-crds --skip-tests --no-hooks --is-upgrade --release-name --name-template= -g|--generate-name --validate --dependency-update!write
    --max-col-width= -r|--regexp --fail-on-no-result --endpoint= --list-repo-url --jsonpath= --template= --output-dir=:write --post-renderer=!exec --post-renderer-args=!exec --disable-openapi-validation --render-subchart-notes --enable-dns!no --hide-secret --description=`,
} as const

/** Kubernetes and Helm: reading the cluster, rendering charts. Secrets are shown only as names. */
export const KUBERNETES: ProgramTable = {
  'kubectl oc k': {
    globals: GLOBALS,
    sub: {
      get: {
        kind: 'read',
        check: 'kube-get',
        flags: `${READ.flags} -L|--label-columns= --raw=!no`,
      },
      'describe logs log explain top api-resources api-versions version events completion options': READ,
      'cluster-info diff': { kind: 'read', flags: KUSTOMIZE_FLAGS },
      kustomize: { kind: 'project', flags: KUSTOMIZE_FLAGS },
      auth: { sub: { 'can-i whoami': READ, reconcile: 'remote' } },
      rollout: { sub: { 'status history': READ, 'undo pause resume restart': 'remote' } },
      config: {
        sub: {
          view: {
            kind: 'read',
            flags:
              '-o|--output= --raw!credential --flatten --minify --merge? --allow-missing-template-keys --template= --show-managed-fields',
          },
          'current-context get-contexts get-clusters get-users': READ,
          'use use-context set set-context set-cluster set-credentials unset delete-context delete-cluster delete-user rename-context':
            'system',
        },
      },
      plugin: { sub: { list: READ } },
      certificate: { sub: { 'approve deny': 'remote' } },
      exec: {
        kind: 'read',
        posix: true,
        wrapper: true,
        check: 'needs-command',
        flags: '-c|--container= -i|--stdin -t|--tty -it -ti -q|--quiet --pod-running-timeout= -f|--filename=',
      },
      delete: {
        kind: 'remote',
        check: 'kube-delete',
        flags:
          '--all!demolish -A|--all-namespaces!demolish -f|--filename= -l|--selector= --force --grace-period= --now --wait? --cascade? --dry-run? -R|--recursive -k|--kustomize= -o|--output= --timeout= --ignore-not-found',
      },
      'apply create edit label annotate set autoscale scale run attach debug cp port-forward proxy cordon uncordon drain taint patch replace expose':
        'remote',
    },
  },
  helm: {
    globals:
      '-n|--namespace= --kube-context= --kubeconfig=!no --kube-apiserver= --kube-token= --debug --registry-config= --repository-cache= --repository-config= --burst-limit= --qps= -h|--help --version',
    sub: {
      'list ls status history hist env version completion help verify': HELM,
      get: { sub: { 'all hooks manifest metadata notes values': HELM } },
      'show inspect': { sub: { 'all chart crds readme values': HELM } },
      search: { sub: { 'repo hub': HELM } },
      // A chart's files may be links to files of this machine.
      'template lint': { ...HELM, kind: 'project' },
      repo: { sub: { 'list ls': HELM, 'add remove rm update up index': 'system' } },
      'dependency dep dependencies': { sub: { 'list ls': HELM, 'build update up': 'write' } },
      plugin: { sub: { 'list ls': HELM, 'install update uninstall': 'exec' } },
      'install upgrade': {
        kind: 'remote',
        flags: `${HELM.flags} --dry-run? -i|--install --create-namespace --wait --wait-for-jobs --timeout= --atomic --force --cleanup-on-fail --history-max= --reset-values --reuse-values --reset-then-reuse-values --labels= --replace`,
        check: 'helm-dry-run',
      },
      'uninstall del delete un rollback test create package pull fetch push': 'remote',
      registry: { sub: { 'login logout': 'system' } },
    },
  },
  'kubectx kubens': { kind: 'system', flags: '-c|--current', check: 'list-only' },
  k9s: 'exec',
  kustomize: {
    sub: {
      'version build': {
        kind: 'project',
        flags:
          '-o|--output=:write --enable-helm!exec --enable-alpha-plugins!exec --enable-exec!exec --load-restrictor= --as-current-user --short --network!no -e|--env= --mount=!no',
      },
    },
  },
  'minikube kind k3d': {
    sub: {
      'status ip version profile': READ,
      get: { sub: { 'clusters nodes': READ } },
      // They run on this machine.
      'delete stop start create': 'system',
      'node cluster': { sub: { list: READ } },
    },
  },
  'stern kubetail': READ,
  argocd: {
    sub: {
      app: { sub: { 'list get diff history logs manifests resources': READ, delete: 'demolish' } },
      version: READ,
    },
  },
  velero: {
    sub: {
      'backup schedule restore': { sub: { 'get describe logs': READ, delete: 'demolish', create: 'remote' } },
    },
  },
  istioctl: { sub: { 'version analyze proxy-status ps': READ } },
}
