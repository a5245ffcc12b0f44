import { isTestFile, MAKEFILES } from './derive-checks.ts'
import { isCoverage } from './neutral-settings.ts'
import { maySuppress } from './suppressed-files.ts'

/** Whether a change of this file can weaken tests, so that its text is worth reading. */
export const mayWeaken = (path: string): boolean =>
  isAboutTests(path) || mayBeCalled(path) || isSettings(path) || maySuppress(path)

/** Files that are about tests themselves, and not only called by CI. */
export const isAboutTests = (path: string): boolean =>
  isTestFile(path) ||
  isSnapshot(path) ||
  isCi(path) ||
  isCoverage(path) ||
  /\.rs$|(^|\/)conftest\.py$/.test(path)

export const isSnapshot = (path: string): boolean => /\.snap$|(^|\/)__snapshots__\//.test(path)

export const isCi = (path: string): boolean =>
  /^\.github\/workflows\/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^\.circleci\/config\.yml$|^azure-pipelines\.yml$/.test(
    path,
  )

/** Whether commands of CI may call this file, and Baton can read what it runs. */
export const mayBeCalled = (path: string): boolean =>
  path === 'package.json' || MAKEFILES.includes(path) || isShellScript(path)

export const isShellScript = (path: string): boolean =>
  /\.(?:sh|bash)$|(?:^|\/)(?:scripts?|bin|ci|\.ci|tools|hack)\/[^./]+$/.test(path)

/** Settings of linters, type checkers and test runners. */
const SETTINGS =
  /(?:^|\/)(?:[tj]sconfig[^/]*\.json|\.eslintrc(?:\.\w+)?|(?:eslint|vitest|vite|jest|playwright|karma|ava|cypress)\.config\.[cm]?[jt]sx?|\.eslintignore|biome\.jsonc?|\.?oxlintrc\.jsonc?|\.mocharc(?:\.\w+)?|package\.json|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|pyrightconfig\.json|\.golangci\.(?:ya?ml|toml|json)|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|phpunit\.xml(?:\.dist)?)$/

export const isSettings = (path: string): boolean => SETTINGS.test(path)

/** Whether such a file may take settings from others of its kind, by `extends`. */
export const mayInherit = (path: string): boolean =>
  /[tj]sconfig[^/]*\.json$|\.eslintrc(?:\.json)?$/.test(path)
