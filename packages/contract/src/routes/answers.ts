import { type TSchema, Type } from 'typebox';
import { Acknowledgement } from '../resources/common.ts';
import { AcceptedTask } from '../resources/task.ts';

/** Answers that most routes share. */
export const ok = <Schema extends TSchema>(schema: Schema, description = 'OK') =>
  ({ 200: { description, schema } }) as const;

export const acknowledged = ok(Acknowledgement, 'Done');

export const accepted = {
  202: { description: 'Accepted; poll result_url_path on the same node', schema: AcceptedTask },
} as const;

export const plainText = {
  200: { description: 'The file as text', schema: Type.String(), contentType: 'text/plain; charset=utf-8' },
} as const;

/** Aliases of body fields for clients of a similar system. */
export const unitAlias = { pioreactor_unit: 'reactor_unit' } as const;
