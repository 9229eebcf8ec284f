import { boardVersionOf } from './board-checks.ts';
import type { Finding } from './finding.ts';
import { type FirstBoardStep, firstBoardSteps } from './first-board-steps.ts';
import type { MachineFacts, MachineRole } from './machine-facts.ts';
import type { MachinePorts } from './machine-ports.ts';

/** Outputs of the machine that a report has, beside its facts. */
export interface ReportTexts {
  readonly journal: readonly { readonly title: string; readonly text: string }[];
}

const journalLines = '200';
const kernelLines = '100';

/** The last lines of the services and of the kernel about the board. */
export async function readReportTexts({ run }: Pick<MachinePorts, 'run'>): Promise<ReportTexts> {
  const sources: readonly (readonly [string, readonly string[]])[] = [
    ['lcs-unit', ['-u', 'lcs-unit', '-n', journalLines]],
    ['lcs-leader', ['-u', 'lcs-leader', '-n', journalLines]],
    ['lcs-firmware', ['-u', 'lcs-firmware', '-n', journalLines]],
    ['kernel: I2C, PWM, power, storage', ['-k', '-n', kernelLines, '-g', 'i2c|pwm|gpio|voltage|mmc|watchdog|ext4']],
  ];
  const journal = await Promise.all(
    sources.map(async ([title, args]) => ({
      title,
      text: (await run('journalctl', ['--no-pager', '-o', 'short-iso', ...args])).stdout.trim(),
    })),
  );
  return { journal };
}

/** Names of fields whose value is a secret, whatever stands before: `smtp_password`, `apiKey`, `enrolment_code`. */
const secretField =
  '[\\w-]*(?:pass(?:phrase|word|wd)|psk|secret|token|authorization|(?:api|private)[_-]?key|session|cookie|webhook(?:[_-]?url)?)|[\\w-]+code';
/** A text in quotes as a whole, a number or a word of JSON, or the rest of the line. */
const wholeValue =
  '"(?:[^"\\\\\\n]|\\\\.)*"?|\'(?:[^\'\\\\\\n]|\\\\.)*\'?|(?<=":[ \\t]*)(?:-?\\d[\\d.]*|true|false|null)(?=[,}\\]])|[^\\n]+';
const fieldValue = new RegExp(`\\b(${secretField})(\\\\*["']?[ \\t]*[=:][ \\t]*)(${wholeValue})`, 'gi');
/** A field named exactly `code` has a one-time code, or the code of an error. */
const codeValue = /(?<!\w|\w-)(code\\*["']?[ \t]*[=:][ \t]*\\*["']?)([^\s"',;}\\]+)/gi;
/** An option and its value. */
const optionWord =
  /\b([\w-]*(?:pass(?:phrase|word|wd)|psk|secret|token|code|(?:api|private)[_-]?key))([ \t]+)("[^"\n]*"?|'[^'\n]*'?|(?!\(hidden|[=:])[^\s",;}]+)/gi;
/** The set-up code in the leader's log. */
const groupedCode = /\b[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\b/g;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** Addresses by which others write into a chat. */
const hookUrl = /\b(https?:\/\/)(?=[^\s"']*(?:hook|\/bot\d))([^\s/"']+)\/[^\s"']*/gi;
const userInUrl = /\/\/(?:([^\s/:@"']+):[^\s"']*|[^\s/:@"']+)@/g;

/** Words that follow `code` or `token` in sentences. */
const plainWord = /^(?:is|of|and|or|was|on|in|for|from|wrong|needed)$/i;
/** Values of a field `code`: of systemd, and of errors. */
const errorCode = /^(?:exited|killed|dumped|[a-z]+(?:_[a-z]+)+)$/;

/** What takes the place of a value; quotes stay. */
const hiddenLike = (value: string): string =>
  /^(["']).*\1$/s.test(value) ? `${value[0]}(hidden)${value[0]}` : '(hidden)';

/** The text without secrets. */
export const withoutSecretsIn = (text: string): string =>
  text
    .replaceAll(privateKey, '(hidden)')
    .replaceAll(userInUrl, (_, user: string | undefined) =>
      user === undefined ? '//(hidden)@' : `//${user}:(hidden)@`,
    )
    .replaceAll(hookUrl, '$1$2/(hidden)')
    .replaceAll(
      fieldValue,
      (_, name: string, between: string, value: string) => `${name}${between}${hiddenLike(value)}`,
    )
    .replaceAll(codeValue, (all, name: string, value: string) => (errorCode.test(value) ? all : `${name}(hidden)`))
    .replaceAll(optionWord, (all, word: string, between: string, value: string) => {
      const isHarmless =
        (/token$/i.test(word) && plainWord.test(value)) ||
        (/code$/i.test(word) && (plainWord.test(value) || errorCode.test(value)));
      return isHarmless ? all : `${word}${between}${hiddenLike(value)}`;
    })
    .replaceAll(/\b(bearer)[ \t]+[^\s"',;]+/gi, '$1 (hidden)')
    .replaceAll(groupedCode, '(hidden)');

/** The lines of a step that a person completes, each up to its colon. */
const blanksOf = ({ measured }: FirstBoardStep): readonly string[] => [
  ...measured.map((value) => `- Measured, ${value}:`),
  '- Done, as expected (yes, no, skipped):',
];

const headingOf = ({ title }: FirstBoardStep, index: number): string => `### ${index + 1}. ${title}`;

/** A step with the lines to complete; what was written in a former report stays. */
function stepText(step: FirstBoardStep, index: number, former: string): string {
  const heading = headingOf(step, index);
  const [, before = ''] = former.split(`${heading}\n`);
  const lines = (before.split(/^### /m)[0] ?? '').split('\n');
  const written = (blank: string): string =>
    lines
      .find((line) => line.startsWith(blank))
      ?.slice(blank.length)
      .trim() ?? '';
  return [
    heading,
    ...step.acts.map((act) => `- ${act}`),
    `- Expected: ${step.expected}`,
    ...blanksOf(step).map((blank) => `${blank} ${written(blank)}`),
  ].join('\n');
}

const quoted = (text: string): string => `~~~\n${text.replaceAll('~~~', '~ ~ ~')}\n~~~`;

const stamp = (nowMs: number): string => new Date(nowMs).toISOString();

/**
 * The one file that a person sends in.
 *
 * @param former the report that it replaces: what a person has written behind its colons stays
 */
export function reportText(
  facts: MachineFacts,
  role: MachineRole | undefined,
  findings: readonly Finding[],
  { journal }: ReportTexts,
  nowMs: number,
  former = '',
): string {
  const { parts = [], configTxt, unitOptions, leaderOptions, services } = facts;
  const rows: readonly (readonly [string, string])[] = [
    ['program', facts.programVersion],
    ['role', role ?? 'none'],
    ['computer', facts.computer ?? 'no Raspberry Pi'],
    ['system', facts.system],
    ['kernel', facts.kernel],
    ['board', boardVersionOf(facts) ?? 'none'],
    ['GPIO tools', facts.gpioTools ?? 'none'],
    ...Object.entries(services).map(
      ([name, { isInstalled, isEnabled, state, restarts }]): readonly [string, string] => [
        name,
        isInstalled ? `${state}, ${isEnabled ? 'enabled' : 'not enabled'}, ${restarts} restarts` : 'not installed',
      ],
    ),
  ];
  const steps = firstBoardSteps.map((step, index) => stepText(step, index, former));
  return `${[
    '# Report of a machine',
    `Made by \`lcs doctor --report\` at ${stamp(nowMs)}. Secrets are hidden; read it before you send it.`,
    '## Machine',
    rows.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    '## Checks',
    findings
      .map(({ code, level, message, remediation }) =>
        withoutSecretsIn(`- ${level}, ${code}: ${message}${remediation === undefined ? '' : ` ${remediation}`}`),
      )
      .join('\n'),
    '## Parts of the board',
    parts.length === 0
      ? 'Not asked: there is no board, or it is simulated.'
      : parts.map(({ name, silence }) => `- ${name}: ${silence ?? 'responds'}`).join('\n'),
    '## Options of the services',
    quoted(withoutSecretsIn([leaderOptions?.text, unitOptions?.text].filter((text) => text !== undefined).join('\n'))),
    ...(configTxt === undefined
      ? []
      : [`## ${configTxt.path}`, quoted(withoutSecretsIn(Buffer.from(configTxt.text, 'latin1').toString('utf8')))]),
    '## Journal',
    ...journal.flatMap(({ title, text }) => [`### ${title}`, quoted(withoutSecretsIn(text))]),
    '## Test of the first board',
    'The steps of docs/first-board-test.md. Write behind each colon what you have measured; a later report into this file keeps it.',
    ...steps,
  ].join('\n\n')}\n`;
}
