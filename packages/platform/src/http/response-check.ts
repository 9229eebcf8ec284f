import { PreparedJson, StreamBody } from '@lcs/contract';
import type { CompiledRoute } from './compiled-route.ts';
import { type CompiledSchema, compileSchema } from './compiled-schema.ts';
import { describeFault } from './schema-fault.ts';
import type { HandlerResponse } from './served-api.ts';

/** Throws when a response does not match its declaration. */
export type ResponseCheck = (route: CompiledRoute, answer: HandlerResponse) => void;

const onTheWire = (body: unknown): unknown => {
  const text = body instanceof PreparedJson ? body.text : JSON.stringify(body);
  return text === undefined ? undefined : JSON.parse(text);
};

/** For tests: checks every response against its declaration, as the client will receive it. Contents of streams are not checked. */
export function responseCheck(): ResponseCheck {
  const compiled = new Map<unknown, CompiledSchema>();
  return ({ operation, heads }, { status, body }) => {
    const head = heads.get(status);
    if (head === undefined) throw new Error(`${operation} returned the undeclared status ${status}.`);
    if (body instanceof StreamBody) return;
    const { schema } = head.response;
    const { check, fault } = compiled.get(schema) ?? compileSchema(schema);
    compiled.set(schema, { check, fault });
    const received = head.isJson ? onTheWire(body) : body;
    if (check(received)) return;
    throw new Error(
      `${operation} returned status ${status} with an undeclared body: ${describeFault(fault(received))}.`,
    );
  };
}
