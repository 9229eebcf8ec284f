import type { RouteDeclaration } from '@lcs/contract';
import type { Answer } from '@lcs/testkit';
import { lateUnit, realUnits, refusingUnit } from './known.ts';
import type { Change } from './plain-model.ts';
import type { Target } from './requests.ts';
import type { Given } from './suggestions/given.ts';
import { refusal, type TestCluster } from './test-cluster.ts';

/** One request that is to be sent, the `index`th of its cluster. */
export interface Call {
  readonly index: number;
  readonly target: Target;
  readonly given: Given;
}

/** A request that was answered. */
export interface AnsweredCall extends Call {
  readonly answer: Answer;
}

/** Request and answer as text. */
export const textOf = ({ index, target, given, answer }: AnsweredCall): string => {
  const { file, rawBody, ...rest } = given;
  const sent = JSON.stringify({ rawBody: rawBody?.slice(0, 200), ...rest, ...(file && { file: file.fileName }) });
  const cut = sent.length > 2000 ? `${sent.slice(0, 2000)}…` : sent;
  return `request ${index}: ${target.node} ${target.operation} ${cut} → ${answer.status} ${answer.text.slice(0, 400)}`;
};

/** Units that fail because the test lets them: their failures may be passed on. */
const failsOnPurpose = ({ given }: Call): boolean => {
  const unit = given.params?.reactor_unit ?? Object(given.body).name ?? '';
  return unit === refusingUnit || unit === lateUnit || !realUnits.some((real) => real === unit);
};

/** Statuses of a request without a route; 403 is that of a path outside the data folder. */
const refusals: readonly number[] = [400, 403, 404];

const failuresOfUnits: readonly unknown[] = ['unit_gave_no_answer', 'worker_setup_failed'];

/**
 * The content of an answer.
 * @throws Error for an undeclared answer, an unexpected failure, or an unexpected success.
 */
export function checkedContent(call: AnsweredCall, cluster: TestCluster): unknown {
  const { answer } = call;
  if (answer.status >= 500) {
    const { code, error } = Object(answer.json);
    const isInjected = failsOnPurpose(call) && (failuresOfUnits.includes(code) || error === refusal.body.error);
    if (!isInjected) throw new Error(`${textOf(call)}\n${JSON.stringify(cluster[call.target.node].log.lines.at(-1))}`);
  }
  if (call.given.special?.mustFail && !refusals.includes(answer.status))
    throw new Error(`answered what must be refused: ${textOf(call)}`);
  try {
    return answer.expect(answer.status);
  } catch (cause) {
    throw new Error(textOf(call), { cause });
  }
}

export const isSuccess = (route: RouteDeclaration, { status }: Answer): boolean =>
  status < 400 && status in route.responses;

export const changeOf = ({ target, given }: Call, answer: unknown): Change => ({
  operation: target.operation,
  params: given.params ?? {},
  body: { ...Object(given.body) },
  answer,
});
