import { PreparedJson, StreamBody } from '@lcs/contract';
import type { CompiledRoute } from './compiled-route.ts';
import { type CompiledSchema, compileSchema } from './compiled-schema.ts';
import { describeFault } from './schema-fault.ts';
import type { HandlerAnswer } from './served-api.ts';

/** Throws when an answer is not the declared one. */
export type AnswerCheck = (route: CompiledRoute, answer: HandlerAnswer) => void;

const onTheWire = (body: unknown): unknown => {
  const text = body instanceof PreparedJson ? body.text : JSON.stringify(body);
  return text === undefined ? undefined : JSON.parse(text);
};

/** For tests: holds every answer to its declaration, as its reader will see it. The contents of streams are not read. */
export function answerCheck(): AnswerCheck {
  const compiled = new Map<unknown, CompiledSchema>();
  return ({ operation, heads }, { status, body }) => {
    const head = heads.get(status);
    if (head === undefined) throw new Error(`${operation} answered the undeclared status ${status}.`);
    if (body instanceof StreamBody) return;
    const { schema } = head.response;
    const { check, fault } = compiled.get(schema) ?? compileSchema(schema);
    compiled.set(schema, { check, fault });
    const received = head.isJson ? onTheWire(body) : body;
    if (check(received)) return;
    throw new Error(
      `${operation} answered ${status} with a body it does not declare: ${describeFault(fault(received))}.`,
    );
  };
}
