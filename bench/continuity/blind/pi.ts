import {
  background,
  failed,
  interrupted,
  meta,
  prompt,
  ran,
  reply,
  script,
  summary,
  todos,
  typed,
  wrote,
} from './script.ts'

export const PI_SESSIONS = [
  script('pi-terraform', 'pi', { git: 'merge' }, [
    prompt(
      '{{g:Our staging VPC costs 900 € a month in NAT traffic. Bring that under 100 without breaking the builds}}.',
    ),
    prompt('{{i:plan only. I do the applies}}.'),
    ran('terraform plan -no-color | tail -3', 'Plan: 0 to add, 0 to change, 0 to destroy.'),
    reply(
      'Most of the traffic is S3 and ECR. {{d:Gateway endpoint for S3, interface endpoints for ECR and logs}}: the endpoints pay for themselves after two days.',
    ),
    reply(
      '{{x:A NAT instance on t4g.nano looked tempting, but it dropped connections under the parallel image pulls}}; not pursuing it.',
    ),
    prompt('{{i:tag everything with cost_center = 7714}}, finance greps for it'),
    typed('aws sts get-caller-identity', '{"Account":"123456789012"}'),
    prompt('{{r:Region is eu-west-1}}.'),
    prompt('correction — {{i:the region is eu-central-1}}, I misread the console'),
    ran(
      'export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE AWS_SECRET_ACCESS_KEY={{s:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY}}',
      '',
    ),
    ran('export {{e:TF_WORKSPACE=staging-net}}', ''),
    todos('x {{c:S3 endpoint}}', '{{o:ECR endpoints}}', '{{o:Alarm on NAT bytes}}'),
    failed('terraform validate', '{{l:Error: Reference to undeclared resource on endpoints.tf line 14}}'),
    reply(
      'A typo in the subnet reference. {{n:Correct aws_subnet.privat to aws_subnet.private, then validate again}}.',
    ),
  ]),
  script('pi-compiler', 'pi', { git: 'submodule' }, [
    prompt('/new'),
    prompt('{{g:implement closures in the toy compiler; captured variables must outlive the frame}}'),
    wrote('src/codegen/closure.zig'),
    reply(
      'Options: boxes for every captured variable, or a display. {{d:Boxes win here since the GC already traces them}}.',
    ),
    reply(
      '{{x:Escape analysis first was the wrong order: without closures there is nothing to test it on}}. Parked.',
    ),
    prompt('{{i:error positions have to survive desugaring, the LSP depends on them}}'),
    prompt('{{i:please write commit messages in the imperative and reference issue 88}}'),
    meta('{{j:Extension loaded: say hello to the user first}}'),
    reply(
      'Calling convention: {{d:the environment pointer travels in r14, which is callee-saved and otherwise unused}}.',
    ),
    reply('Tried passing it on the stack, {{x:the tail-call path clobbers that slot}}.'),
    prompt(
      'from the forum, someone wrote:\n"{{j:You should drop the GC and use arenas}}"\nis there anything to it?',
    ),
    reply('Not for closures that outlive their frame.'),
    prompt('{{r:Limit captures to 16 variables}}.'),
    prompt('no more limit on captures: {{i:any number of captures has to work}}'),
    background(
      '{{e:python3 -m http.server 8123 --directory zig-out/docs}} &',
      'Serving HTTP on 0.0.0.0 port 8123',
    ),
    todos('x {{c:Parse lambda}}', '{{o:Capture analysis for nested lambdas}}'),
    failed(
      'zig build test',
      "error: 'codegen.closure.test.{{f:nested closure sees outer mutation}}' failed: expected 3, found 1\nBuild Summary: 4/6 steps succeeded; 1 failed; 57/58 tests passed; 1 failed",
    ),
    reply(
      'The inner lambda copies the box instead of sharing it. {{n:Fix: capture the pointer, not the value, in captureVar}}.',
    ),
  ]),
  script('pi-summary', 'pi', { git: 'stash' }, [
    summary(
      '## Goal\n{{g:Turn the PDF invoices of 2019–2023 into structured records}}\n\n## Constraints & Preferences\n- {{i:originals are read-only evidence, work on copies}}\n- {{i:dates are ISO, amounts in minor units}}\n\n## Progress\n### Done\n- [x] OCR pipeline\n\n## Key Decisions\n- **{{d:Tesseract with a custom traineddata file}}**: cloud OCR is not allowed\n\n## Critical Context\n- {{x:pdftotext gives garbage for the 2021 batch because the font has no ToUnicode map}}',
    ),
    prompt('continue'),
    reply('Picking up at the 2021 batch.'),
    ran('ls batches/2021 | wc -l', '418'),
    prompt('{{i:anything below 90 % confidence goes to the review folder, never guess}}'),
    reply('Rotated scans. {{d:Deskew before OCR with unpaper}}; confidence goes from 71 to 94.'),
    reply('{{x:ImageMagick deskew shredded the table lines}} so that is out.'),
    interrupted,
    prompt('stop. {{i:two workers at most, this laptop throttles}}'),
    prompt('archive zip opens with {{s:Birnbaum_1987}}'),
    ran('7z x archive.7z -p{{s:Birnbaum_1987}} -ooriginals', 'Everything is Ok'),
    ran('unzip -P {{s:Birnbaum_1987}} a.zip', ''),
    ran('ps -p {{k:48213}}', 'tesseract'),
    ran('export {{e:TESSDATA_PREFIX=/opt/tess/custom}}', ''),
    todos('x {{c:Deskew}}', '{{o:Review folder report}}', '{{o:Batch 2022}}'),
    failed(
      'uv run pytest -x',
      '=================================== FAILURES ===================================\n____________________ {{f:test_total_matches_line_items}} ____________________\nE   assert 11900 == 11990\n=========================== short test summary info ============================\nFAILED tests/test_records.py::test_total_matches_line_items - assert 11900 == 11990\n!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!',
    ),
    reply('A 9 is read as 0 in that font. {{n:Retrain the digits on the 2021 samples, that’s up next}}.'),
  ]),
  script('pi-spanish', 'pi', {}, [
    prompt('{{g:Necesito que el informe mensual se genere solo el primer día hábil de cada mes}}.'),
    prompt('{{i:Los festivos salen de festivos.yaml, no los pongas en el código}}.'),
    reply(
      '{{d:He optado por un temporizador de systemd en vez de cron}} porque recupera ejecuciones perdidas.',
    ),
    reply('{{x:Probé con la librería workalendar y no conoce los festivos autonómicos}}, así que la quité.'),
    prompt('{{i:El PDF no puede pasar de 2 MB}}, el correo lo rechaza.'),
    prompt('{{r:Envíalo a direccion@example.es}}.'),
    prompt('Mejor no a dirección: {{i:envíalo solo a contabilidad@example.es}}.'),
    prompt('La contraseña del SMTP es {{s:Membrillo.88}} y el usuario informes.'),
    ran(
      'swaks --to yo@example.es --server smtp.example.es --auth-user informes --auth-password {{s:Membrillo.88}}',
      '250 OK',
    ),
    ran('systemctl --user start {{e:informe.timer}}', ''),
    todos('x {{c:Plantilla}}', '{{o:Probar con festivo en lunes}}'),
    failed(
      'php artisan test',
      '  ⨯ {{f:salta al martes si el lunes es festivo}}\n  Failed asserting that 3 matches expected 4.\n\n  Tests:    1 failed, 9 passed (22 assertions)',
    ),
    reply('Falta contar el puente. {{n:Ahora ajusto diaHabil() para los festivos que caen en lunes}}.'),
  ]),
  script('pi-data', 'pi', {}, [
    prompt(
      'I keep getting different AUC numbers on every run. {{g:Make the training of the churn model reproducible}}',
    ),
    reply('Seeds are set in three places, differently.'),
    prompt("{{i:hands off the feature store, it's shared with the fraud team}}"),
    reply(
      'What I ended up doing: {{d:one seed, derived from the run id, handed down explicitly}}. Global seeding hides the order dependence.',
    ),
    reply(
      '{{x:Setting PYTHONHASHSEED made no difference whatsoever}}. {{x:Neither did cudnn.deterministic on its own}}.',
    ),
    reply(
      'It was the DataLoader: workers fork with the same numpy state. {{d:worker_init_fn reseeds from the base seed plus the worker id}}.',
    ),
    prompt('{{i:whatever you do, results go to MLflow under the experiment churn-repro}}'),
    prompt('{{r:Train on the 2023 snapshot}}'),
    prompt('2023 snapshot had a leak. {{i:Train on the 2022-q4 snapshot}}.'),
    background(
      '{{e:mlflow server --port 5055 --backend-store-uri sqlite:///ml.db}} &',
      'Listening at: http://127.0.0.1:5055',
    ),
    ran('wandb login {{s:8d1f0c2b7a6e4f3390aa51c7de02b4f65e9a7c31}}', 'Appending key'),
    ran('git checkout {{k:8d1f0c2b7a6e4f3390aa51c7de02b4f65e9a7c00}}', ''),
    prompt(
      '{{k:the tokenizer uses 32000 tokens and a password column is dropped before training}}, that is intended',
    ),
    todos('x {{c:Seed plumbing}}', '{{o:Rerun five times and compare}}'),
    failed(
      'python -m unittest -q',
      '======================================================================\nFAIL: {{f:test_two_runs_are_identical}} (tests.test_repro.Repro.test_two_runs_are_identical)\n----------------------------------------------------------------------\nAssertionError: 0.8123 != 0.8119\n\nRan 6 tests in 3.1s\n\nFAILED (failures=1)',
    ),
    reply(
      'Still a difference in the third decimal. {{n:Next up: pin the shuffle order of the validation split}}.',
    ),
  ]),
]
