import { type Static, Type } from 'typebox';

/** The body of every failed request. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'What happened, for people' }),
    cause: Type.String({ description: 'Why; equals `error` without further details' }),
    remediation: Type.String({ minLength: 1, description: 'What to do next' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status' }),
    code: Type.String({ description: 'A stable word for programs' }),
    field: Type.Optional(
      Type.String({
        description: 'The option, setting, parameter or body field at fault, where there is a single one',
      }),
    ),
    diagnostics: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'Positions of faults in a file (configuration, profiles)' }),
    ),
  },
  { additionalProperties: false, title: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;
