import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', any: true } as const
const GLOBALS =
  '-n|--namespace= --context= --cluster= --kubeconfig=!no --user= --as= --as-group= --request-timeout= --server= -s= --token= --v= -v= --insecure-skip-tls-verify --certificate-authority= --client-certificate= --client-key= --cache-dir= --match-server-version -h|--help'

/** Kubernetes and Helm: reading the cluster, rendering charts. Secrets are shown only as names. */
export const KUBERNETES: ProgramTable = {
  'kubectl oc k': {
    globals: GLOBALS,
    sub: {
      get: {
        kind: 'read',
        any: true,
        check: 'kube-get',
        flags:
          '-o|--output= -l|--selector= -f|--filename= --field-selector= --sort-by= -L= --template= --raw=!no',
      },
      'describe logs log explain top api-resources api-versions version events completion options': READ,
      'cluster-info diff kustomize': {
        kind: 'read',
        any: true,
        flags: '--enable-helm!exec --enable-exec!exec --output-directory=:write',
      },
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
      exec: { kind: 'read', any: true, posix: true, wrapper: true, check: 'needs-command' },
      'apply create delete edit label annotate set autoscale scale run attach debug cp port-forward proxy cordon uncordon drain taint patch replace expose':
        'remote',
    },
  },
  helm: {
    globals:
      '-n|--namespace= --kube-context= --kubeconfig=!no --kube-apiserver= --kube-token= --debug --registry-config= --repository-cache= --repository-config= --burst-limit= --qps= -h|--help --version',
    sub: {
      'list ls status history hist env version completion help verify': READ,
      get: { sub: { 'all hooks manifest metadata notes values': READ } },
      'show inspect': { sub: { 'all chart crds readme values': READ } },
      search: { sub: { 'repo hub': READ } },
      'template lint': { kind: 'read', any: true, flags: '--output-dir=:write --post-renderer=!exec' },
      repo: { sub: { 'list ls': READ, 'add remove rm update up index': 'system' } },
      'dependency dep dependencies': { sub: { 'list ls': READ, 'build update up': 'write' } },
      plugin: { sub: { 'list ls': READ, 'install update uninstall': 'exec' } },
      'install upgrade': {
        kind: 'remote',
        any: true,
        flags: '--dry-run? --post-renderer=!exec',
        check: 'helm-dry-run',
      },
      'uninstall del delete un rollback test create package pull fetch push': 'remote',
      registry: { sub: { 'login logout': 'system' } },
    },
  },
  'kubectx kubens': { kind: 'system', any: true, flags: '-c|--current', check: 'list-only' },
  k9s: 'exec',
  kustomize: {
    sub: {
      'version build': {
        kind: 'read',
        any: true,
        flags: '-o|--output=:write --enable-helm!exec --enable-alpha-plugins!exec --enable-exec!exec',
      },
    },
  },
  'minikube kind k3d': {
    sub: {
      'status ip version profile': READ,
      get: { sub: { 'clusters nodes': READ } },
      'node cluster': { sub: { list: READ } },
    },
  },
  'stern kubetail': READ,
  argocd: {
    sub: { app: { sub: { 'list get diff history logs manifests resources': READ } }, version: READ },
  },
  istioctl: { sub: { 'version analyze proxy-status ps': READ } },
}
