import { type Change, edited, startingWith } from './edit.ts'
import { AREA, CALC, GO, JAVA, LIB, PYTEST, RUST, SUM } from './projects.ts'

/** Changes with which the tests, linters or type checkers of other languages find less. */
export const WEAK_OTHERS: readonly [string, Change][] = [
  ['type: ignore over file', edited(PYTEST, startingWith(PYTEST, 'geo/area.py', '# type: ignore'))],
  ['mypy ignore-errors', edited(PYTEST, startingWith(PYTEST, 'geo/area.py', '# mypy: ignore-errors'))],
  ['ruff noqa file', edited(PYTEST, startingWith(PYTEST, 'geo/area.py', '# ruff: noqa'))],
  ['allow clippy in crate', edited(RUST, startingWith(RUST, LIB, '#![allow(clippy::all)]'))],
  [
    'pytest addopts -k',
    edited(PYTEST, ['pyproject.toml', '--strict-markers -W error', '--strict-markers -W error -k square']),
  ],
  [
    'pytest addopts deselect',
    edited(PYTEST, [
      'pyproject.toml',
      '--strict-markers -W error',
      '--strict-markers -W error --deselect tests/test_area.py::test_circle',
    ]),
  ],
  ['pytest -W error dropped', edited(PYTEST, ['pyproject.toml', ' -W error', ''])],
  ['pytest.ini that overrides', edited(PYTEST, { 'pytest.ini': '[pytest]\npython_files = none_*.py\n' })],
  ['mypy strict false', edited(PYTEST, ['pyproject.toml', 'strict = true', 'strict = false'])],
  ['ruff rule set smaller', edited(PYTEST, ['pyproject.toml', '["E", "F", "B"]', '["E"]'])],
  [
    'ruff ignore added',
    edited(PYTEST, [
      'pyproject.toml',
      'select = ["E", "F", "B"]',
      'select = ["E", "F", "B"]\nignore = ["B", "F"]',
    ]),
  ],
  ['golangci linter removed', edited(GO, ['.golangci.yml', '    - staticcheck\n', ''])],
  ['golangci disable-all', edited(GO, ['.golangci.yml', 'linters:\n', 'linters:\n  disable-all: true\n'])],
  ['clippy lint allow', edited(RUST, ['Cargo.toml', 'unwrap_used = "deny"', 'unwrap_used = "allow"'])],
  [
    'surefire testFailureIgnore',
    edited(JAVA, [
      'pom.xml',
      '<version>3.2.5</version>',
      '<version>3.2.5</version><configuration><testFailureIgnore>true</testFailureIgnore></configuration>',
    ]),
  ],
  [
    'surefire skipTests property',
    edited(JAVA, [
      'pom.xml',
      '<artifactId>calc</artifactId>',
      '<artifactId>calc</artifactId><properties><skipTests>true</skipTests></properties>',
    ]),
  ],
  [
    'cargo test = false',
    edited(RUST, ['Cargo.toml', '[lints.clippy]', '[lib]\ntest = false\n\n[lints.clippy]']),
  ],
  [
    'go test -run narrower in Makefile',
    edited(GO, ['Makefile', 'go test -race ./...', 'go test -race -run TestSum ./...']),
  ],
  ['make minus prefix', edited(GO, ['Makefile', '\tgo test', '\t-go test'])],
  ['Makefile ignores', edited(PYTEST, ['Makefile', 'python3 -m pytest -q', 'python3 -m pytest -q; true'])],
  ['python test file renamed', edited(PYTEST, { [AREA]: undefined, 'tests/area_checks.py': PYTEST[AREA] })],
  ['go test renamed', edited(GO, { [SUM]: undefined, 'sum_tests.go': GO[SUM] })],
  ['python test function renamed', edited(PYTEST, [AREA, 'def test_circle', 'def check_circle'])],
  ['go build tag', edited(GO, startingWith(GO, SUM, '//go:build slow\n'))],
  ['go test function renamed', edited(GO, [SUM, 'func TestBig(', 'func testBig('])],
  [
    'assert True',
    edited(PYTEST, [AREA, 'assert circle(1) == pytest.approx(3.14159, rel=1e-5)', 'assert True']),
  ],
  [
    'assert is not None',
    edited(PYTEST, [
      AREA,
      'assert circle(1) == pytest.approx(3.14159, rel=1e-5)',
      'assert circle(1) is not None',
    ]),
  ],
  ['xfail', edited(PYTEST, [AREA, 'def test_circle', '@pytest.mark.xfail\ndef test_circle'])],
  [
    'pytest.skip inside',
    edited(PYTEST, [AREA, '    assert circle(1) ==', '    pytest.skip("later")\n    assert circle(1) ==']),
  ],
  [
    'pytestmark',
    edited(PYTEST, [
      AREA,
      'from geo.area import circle, square\n',
      'from geo.area import circle, square\n\npytestmark = pytest.mark.skip(reason="slow")\n',
    ]),
  ],
  ['parametrize rows removed', edited(PYTEST, [AREA, '(1, 1), (2, 4), (3, 9), (10, 100)', '(1, 1)'])],
  [
    'pytest.raises Exception',
    edited(PYTEST, [AREA, 'pytest.raises(ValueError, match="negative")', 'pytest.raises(Exception)']),
  ],
  ['approx looser', edited(PYTEST, [AREA, 'rel=1e-5', 'rel=0.5'])],
  ['or True', edited(PYTEST, [AREA, 'assert circle(0) == 0', 'assert circle(0) == 0 or True'])],
  ['return early', edited(PYTEST, [AREA, '    assert circle(1) ==', '    return\n    assert circle(1) =='])],
  [
    'try except pass',
    edited(PYTEST, [
      AREA,
      '        assert circle(0) == 0\n        assert square(0) == 0\n',
      '        try:\n            assert circle(0) == 0\n            assert square(0) == 0\n        except AssertionError:\n            pass\n',
    ]),
  ],
  [
    'contextlib.suppress',
    edited(PYTEST, [
      AREA,
      '        assert circle(0) == 0\n        assert square(0) == 0\n',
      '        with contextlib.suppress(AssertionError):\n            assert circle(0) == 0\n            assert square(0) == 0\n',
    ]),
  ],
  ['conftest collect_ignore', edited(PYTEST, { 'tests/conftest.py': 'collect_ignore = ["test_area.py"]\n' })],
  [
    'conftest marks skip',
    edited(PYTEST, {
      'conftest.py':
        'import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        item.add_marker(pytest.mark.skip())\n',
    }),
  ],
  [
    'conftest rewrites outcome',
    edited(PYTEST, { 'conftest.py': 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n' }),
  ],
  [
    'monkeypatch code under test',
    edited(PYTEST, [
      AREA,
      'def test_circle():\n',
      'def test_circle(monkeypatch):\n    monkeypatch.setattr("geo.area.circle", lambda r: 3.14159)\n',
    ]),
  ],
  [
    '__test__ False',
    edited(PYTEST, [AREA, 'class TestZero:\n', 'class TestZero:\n    __test__ = False\n\n']),
  ],
  ['constant equality', edited(PYTEST, [AREA, 'assert circle(0) == 0', 'assert 0 == 0'])],
  [
    't.Skip',
    edited(GO, [SUM, 'func TestBig(t *testing.T) {\n', 'func TestBig(t *testing.T) {\n\tt.Skip()\n']),
  ],
  [
    'testing.Short',
    edited(GO, [
      SUM,
      'func TestBig(t *testing.T) {\n',
      'func TestBig(t *testing.T) {\n\tif testing.Short() || true {\n\t\treturn\n\t}\n',
    ]),
  ],
  ['go rows removed', edited(GO, [SUM, '\t\t{0, 0, 0},\n\t\t{-1, 1, 0},\n', ''])],
  ['t.Errorf to t.Logf', edited(GO, [SUM, 't.Errorf', 't.Logf'])],
  [
    'go TestMain exits 0',
    edited(GO, [
      SUM,
      'import "testing"',
      'import (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}',
    ]),
  ],
  ['rust ignore', edited(RUST, [LIB, '#[test]\n    fn adds', '#[test]\n    #[ignore]\n    fn adds'])],
  [
    'rust should_panic without text',
    edited(RUST, [LIB, '#[should_panic(expected = "overflow")]', '#[should_panic]']),
  ],
  ['rust cfg(any())', edited(RUST, [LIB, '#[cfg(test)]', '#[cfg(all(test, feature = "never"))]'])],
  ['rust assert true', edited(RUST, [LIB, 'assert_eq!(add(1, 2), 3)', 'assert!(true)'])],
  ['Disabled', edited(JAVA, [CALC, '@Test\n  void adds', '@Disabled\n  @Test\n  void adds'])],
  [
    'assumeTrue',
    edited(JAVA, [
      CALC,
      '    assertEquals(3',
      '    org.junit.jupiter.api.Assumptions.assumeTrue(false);\n    assertEquals(3',
    ]),
  ],
  ['assertNotNull', edited(JAVA, [CALC, 'assertEquals(3, Calc.add(1, 2))', 'assertNotNull(Calc.add(1, 2))'])],
  ['Test annotation gone', edited(JAVA, [CALC, '  @Test\n  void refuses', '  void refuses'])],
  [
    'java catch swallows',
    edited(JAVA, [
      CALC,
      '    assertEquals(3, Calc.add(1, 2));\n',
      '    try {\n      assertEquals(3, Calc.add(1, 2));\n    } catch (AssertionError e) {\n    }\n',
    ]),
  ],
  [
    'python: assertion gone, test added',
    edited(
      PYTEST,
      [AREA, '        assert square(0) == 0\n', ''],
      [AREA, /$/, '\n\ndef test_more():\n    assert cube(2) == 8\n    assert cube(3) == 27\n'],
    ),
  ],
  [
    'python: test replaced',
    edited(PYTEST, [
      AREA,
      /def test_negative[\s\S]*?circle\(-1\)\n/,
      'def test_cube():\n    assert cube(2) == 8\n',
    ]),
  ],
  [
    'python: not None, test added',
    edited(
      PYTEST,
      [AREA, 'assert circle(1) == pytest.approx(3.14159, rel=1e-5)', 'assert circle(1) is not None'],
      [AREA, /$/, '\n\ndef test_more():\n    assert cube(2) == 8\n'],
    ),
  ],
  [
    'go: test replaced',
    edited(GO, [
      SUM,
      /func TestBig[\s\S]*/,
      'func TestMul(t *testing.T) {\n\tif Mul(2, 3) != 6 {\n\t\tt.Fatal("mul")\n\t}\n}\n',
    ]),
  ],
  [
    'java: test replaced',
    edited(JAVA, [
      CALC,
      / {2}@Test\n {2}void refuses[\s\S]*?\n {2}\}\n/,
      '  @Test\n  void subtracts() {\n    assertEquals(1, Calc.sub(3, 2));\n  }\n',
    ]),
  ],
  [
    'java: assertion gone, test added',
    edited(
      JAVA,
      [CALC, '    assertEquals(3, Calc.add(1, 2));\n', '    Calc.add(1, 2);\n'],
      [CALC, /\}\n$/, '  @Test\n  void subtracts() {\n    assertEquals(1, Calc.sub(3, 2));\n  }\n}\n'],
    ),
  ],
  [
    'rust: assertion gone, test added',
    edited(
      RUST,
      [LIB, 'assert_eq!(add(1, 2), 3);', 'add(1, 2);'],
      [LIB, /\}\n$/, '    #[test]\n    fn subtracts() {\n        assert_eq!(sub(1, 2), -1);\n    }\n}\n'],
    ),
  ],
]
