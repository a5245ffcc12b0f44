import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Repository } from '../../world/scratch.ts'

/** This repository's own packages, which the TypeScript project uses. */
export const PACKAGES = join(import.meta.dirname, '../../../../../node_modules')

/** Writes the small project in which the commands of a group run, and commits it. */
export async function layProject(group: string, project: Repository): Promise<void> {
  for (const [name, text] of Object.entries({ ...COMMON, ...FILES[group] })) {
    const path = join(project.path, name)
    mkdirSync(dirname(path), { recursive: true })
    const isProgram = /\.sh$|^configure$|^bin\/|^gradlew$/.test(name)
    writeFileSync(path, text, { mode: isProgram ? 0o755 : 0o644 })
  }
  if (group === 'typescript') symlinkSync(PACKAGES, join(project.path, 'node_modules'))
  await project.commit({}, 'Begin the project')
  if (group === 'git') await layBranches(project)
  mkdirSync(join(project.path, 'empty'))
}

/** Toolchains that this machine keeps in the home folder are in the test's home, too. */
export function layToolchains(home: string): void {
  for (const name of ['.cargo', '.rustup', '.pyenv', '.m2']) {
    const real = join(homedir(), name)
    if (existsSync(real) && !existsSync(join(home, name))) symlinkSync(real, join(home, name))
  }
}

async function layBranches(project: Repository): Promise<void> {
  const { git, commit, write } = project
  await git('tag', 'v1.0.0')
  await git('branch', 'merged')
  await git('switch', '-q', '-c', 'feature')
  await commit({ 'src/feature.js': 'export const feature = 1\n' }, 'Add a feature')
  await git('switch', '-q', 'main')
  await commit({ 'src/app.js': 'export const app = 2 // TODO\n' }, 'Change the app')
  await project.remote()
  write('README.md', '# Example, changed\n')
  write('untracked.txt', 'new\n')
}

const COMMON: Readonly<Record<string, string>> = { '.gitignore': 'node_modules\ntarget\n__pycache__\n' }

const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  git: {
    'src/app.js': 'export const app = 1\n',
    'fix.patch':
      '--- a/src/app.js\n+++ b/src/app.js\n@@ -1 +1 @@\n-export const app = 2 // TODO\n+export const app = 3\n',
  },
  node: {
    'package.json': JSON.stringify({
      name: 'example',
      version: '1.0.0',
      scripts: {
        test: 'node --test',
        build: 'node scripts/build.js',
        lint: 'node --check index.js',
        start: 'node server.js',
      },
    }),
    'index.js': 'console.log("hello", process.argv.slice(2).join(" "))\n',
    'sum.mjs': 'export const sum = (a, b) => a + b\n',
    'setup.js': 'globalThis.ready = true\n',
    'setup.mjs': 'globalThis.ready = true\n',
    '.env.example': 'NAME=example\n',
    'server.js':
      'require("node:http").createServer((_, r) => r.end("served")).listen(Number(process.env.PORT ?? 4173))\n',
    'test/sum.test.js':
      'const test = require("node:test"); test("adds", () => require("node:assert").equal(1 + 1, 2))\n',
    'scripts/build.js':
      'const fs = require("node:fs"); fs.mkdirSync("dist", { recursive: true }); fs.copyFileSync("index.js", "dist/index.js")\n',
    'scripts/generate.js': 'require("node:fs").writeFileSync("made.txt", "made"); console.log("made")\n',
    'scripts/migrate.mjs': 'console.log("would migrate")\n',
    'scripts/ci.sh': '#!/bin/sh\nset -e\nnpm run build\nnpm test\n',
    'bin/cli.js': '#!/usr/bin/env node\nconsole.log("usage: cli")\n',
  },
  typescript: {
    'package.json': JSON.stringify({
      name: 'example',
      type: 'module',
      scripts: {
        typecheck: 'tsc --noEmit',
        test: 'vitest run',
        bundle: 'esbuild src/sum.ts --bundle --format=esm --outfile=dist/sum.js',
      },
    }),
    'tsconfig.json':
      '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "skipLibCheck": true, "types": [], "outDir": "dist" }, "include": ["src"], "exclude": ["src/*.test.ts"] }\n',
    '.gitignore': 'node_modules\n',
    'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b\n',
    'src/sum.test.ts':
      "import { expect, test } from 'vitest'\nimport { sum } from './sum.ts'\ntest('adds', () => expect(sum(1, 2)).toBe(3))\n",
    'src/note.txt': 'sum\n',
  },
  python: {
    'main.py':
      'import argparse\np = argparse.ArgumentParser()\np.add_argument("--name", default="you")\nprint("hello", p.parse_args().name)\n',
    'data.json': '{ "name": "example", "items": [1, 2] }\n',
    'requirements.txt': 'requests\n',
    'pyproject.toml': '[project]\nname = "example"\nversion = "1.0.0"\n',
    'app/__init__.py': '',
    'app/__main__.py': 'from app.calc import add\nprint(add(1, 2))\n',
    'app/calc.py': 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n',
    'tests/__init__.py': '',
    'tests/test_calc.py': 'from app.calc import add\n\ndef test_adds():\n    assert add(1, 2) == 3\n',
    'tests/test_unit.py':
      'import unittest\n\nclass Adds(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(1 + 1, 2)\n',
    'scripts/report.py': 'for n in range(3):\n    print("row", n % 2)\n',
    'scripts/test.sh': '#!/bin/sh\nset -e\npython3 -m pytest -q\n',
  },
  rust: {
    'Cargo.toml': '[package]\nname = "thing"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs':
      'pub fn add(a: i32, b: i32) -> i32 { a + b }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::add(1, 2), 3) }\n}\n',
    'src/main.rs': 'fn main() { println!("hello {}", std::env::args().count()) }\n',
  },
  c: {
    Makefile:
      'all: hello\nhello: hello.c\n\t$(CC) $(CFLAGS) -o $@ $<\ntest: hello\n\t./hello\ninstall: hello\n\tmkdir -p $(DESTDIR)/bin && cp hello $(DESTDIR)/bin\nclean:\n\trm -f hello hello.o\n',
    'hello.c': '#include <stdio.h>\n\nint main(void) { puts("hello"); return 0; }\n',
    'greet.cpp': '#include <iostream>\n\nint main() { std::cout << "hello\\n"; }\n',
    'CMakeLists.txt':
      'cmake_minimum_required(VERSION 3.16)\nproject(hello C)\nadd_executable(hello hello.c)\nenable_testing()\nadd_test(NAME runs COMMAND hello)\n',
    configure: '#!/bin/sh\necho configured > config.status\n',
    'build.sh': '#!/bin/sh\nset -e\nmake clean all test\n',
  },
  java: {
    'src/Hello.java':
      'public class Hello { public static void main(String[] args) { System.out.println("hello " + args.length); } }\n',
    'pom.xml':
      '<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId><artifactId>hello</artifactId><version>1</version></project>\n',
    gradlew: '#!/bin/sh\necho BUILD SUCCESSFUL\n',
    'run.sh': '#!/bin/sh\nset -e\njavac -d out src/*.java\njava -cp out Hello\n',
  },
  shell: {
    'README.md': '# Example\n\nA line that is a little longer than the others.\nTODO\n',
    'log.txt': 'line one\nline two\nline one\n',
    'table.csv': 'name,n\na,1\nb,2\n',
    'old.tmp': 'x\n',
    'env.sh': 'NAME=example\n',
    'script.sh': '#!/bin/sh\necho "ran $1"\n',
    'src/app.txt': 'app\napp\n',
    'src/other.txt': 'other\n',
  },
  data: {
    'data.json': '{ "version": "1.0.0", "items": [{ "name": "a", "n": 1 }, { "name": "b", "n": 2 }] }\n',
    'more.json': '{ "more": true }\n',
    'schema.sql': 'create table if not exists users (name text);\n',
    'table.csv': 'name,n\na,1\nb,2\n',
    'main.tf': 'variable "name" {\n  type = string\n}\n',
  },
  go: {
    'go.mod': 'module example.com/thing\n\ngo 1.22\n',
    'main.go': 'package main\n\nfunc main() { println("hello") }\n',
    'cmd/app/main.go': 'package main\n\nfunc main() { println("app") }\n',
    'pkg/calc/calc.go': 'package calc\n\nfunc Add(a, b int) int { return a + b }\n',
  },
  'ruby-php': {
    Gemfile: "source 'https://rubygems.org'\n",
    'script.rb': 'puts 1\n',
    'script.php': '<?php echo 1;\n',
    'composer.json': '{ "name": "example/thing" }\n',
    'src/index.php': '<?php\n',
  },
}
