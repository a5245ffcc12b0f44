import { expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { check, request, withRules } from './place.ts'

/** Shared with other people, and gone when it is gone. */
const DESTROYS = [
  'terraform destroy -auto-approve',
  'terraform apply -destroy -auto-approve',
  'terraform -chdir=infra destroy -auto-approve',
  'tofu destroy -auto-approve=true',
  'kubectl delete ns prod',
  'kubectl delete namespace/prod',
  'kubectl -n x delete pods --all',
  'kubectl delete pvc data',
  'aws s3 rb s3://bucket --force',
  'aws s3 rm s3://bucket --recursive',
  'aws rds delete-db-instance --db-instance-identifier x',
  'aws --profile prod cloudformation delete-stack --stack-name x',
  'aws ec2 terminate-instances --instance-ids i-1',
  'gcloud projects delete x -q',
  'gcloud sql instances delete x',
  'gsutil rm -r gs://bucket',
  'az group delete -n x --yes',
  'az aks delete -n x -g y',
  'dropdb production',
  "psql -c 'DROP DATABASE production'",
  "mysql -e 'drop schema production'",
  'mysqladmin drop production',
  "mongosh --eval 'db.dropDatabase()'",
  'redis-cli FLUSHALL',
  'gh repo delete me/x --yes',
  'gh api -X DELETE repos/me/x',
  'npm unpublish x --force',
  'pulumi destroy --yes',
  'cdk destroy --force',
  'heroku apps:destroy x',
  'eksctl delete cluster x',
  "bash -c 'terraform destroy -auto-approve'",
]

test.each(DESTROYS)('%s is refused, not asked', command => {
  const { decision, final } = check(command)
  expect(decision).toBe('deny')
  expect(final).toBe(false)
})

test('a rule of the user can loosen it', () => {
  const rules = withRules({ allow: [{ program: 'terraform', subcommand: 'destroy' }] })
  expect(judge(request('terraform destroy -auto-approve'), rules).decision).toBe('allow')
})

test.each([
  'terraform destroy',
  'kubectl delete pod x',
  'aws s3 rm s3://bucket/key',
  "psql -c 'DELETE FROM x'",
  'gh issue delete 1',
])('%s is asked', command => {
  expect(check(command).decision).toBe('undecided')
})

test.each([
  ['rm -rf ~', 'it deletes the home folder /home/me'],
  ['rm -rf /home/me/', 'it deletes the home folder /home/me'],
  ['rm -rf ~/*', 'it deletes the home folder /home/me'],
  ['rm -rf /', 'it deletes every file on this machine'],
  ['rm -rf /etc', 'it deletes the system folder /etc'],
])('%s names the real danger', (command, reason) => {
  const judgement = check(command)
  expect(judgement.decision).toBe('deny')
  expect(judgement.final).toBe(true)
  expect(judgement.reason).toBe(reason)
})
