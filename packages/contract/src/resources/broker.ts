import { type Static, Type } from 'typebox';
import { closed } from './common.ts';

const named = { rolename: Type.String() };

/** The file of `plugin_opt_config_file` of Mosquitto 2.0. */
export const DynamicSecurity = closed(
  {
    defaultACLAccess: closed({
      publishClientSend: Type.Boolean(),
      publishClientReceive: Type.Boolean(),
      subscribe: Type.Boolean(),
      unsubscribe: Type.Boolean(),
    }),
    clients: Type.Array(
      closed({
        username: Type.String(),
        textname: Type.String(),
        password: Type.String({ description: 'PBKDF2 with HMAC-SHA-512, base64' }),
        salt: Type.String(),
        iterations: Type.Integer(),
        roles: Type.Array(closed({ ...named, priority: Type.Integer() })),
      }),
    ),
    groups: Type.Array(Type.Never()),
    roles: Type.Array(
      closed({
        ...named,
        textdescription: Type.String(),
        acls: Type.Array(
          closed({ acltype: Type.String(), topic: Type.String(), priority: Type.Integer(), allow: Type.Boolean() }),
        ),
      }),
    ),
  },
  { title: 'DynamicSecurity' },
);
export type DynamicSecurity = Static<typeof DynamicSecurity>;

export const BrokerSecurity = closed(
  {
    dynamic_security: DynamicSecurity,
    omitted: Type.Array(closed({ account: Type.String(), cause: Type.String() }), {
      description: 'Accounts that cannot use Mosquitto',
    }),
  },
  { title: 'BrokerSecurity' },
);
export type BrokerSecurity = Static<typeof BrokerSecurity>;

/** What a check of the broker has found. */
export const BrokerFinding = closed(
  {
    code: Type.String({ description: 'Names the check' }),
    level: Type.Union([Type.Literal('ok'), Type.Literal('unknown'), Type.Literal('advice'), Type.Literal('problem')], {
      description: '`unknown`: it could not be checked',
    }),
    message: Type.String({ description: 'What is, in one sentence' }),
    remediation: Type.Optional(Type.String({ description: 'What to do; absent where nothing is' })),
  },
  { title: 'BrokerFinding' },
);
export type BrokerFinding = Static<typeof BrokerFinding>;

export const BrokerCheckBody = Type.Object({
  restart: Type.Optional(
    Type.Union([Type.Literal('before'), Type.Literal('after')], {
      description:
        '`before`: leave a session with messages at the broker; `after` its restart: look whether both are still there. Absent: everything else',
    }),
  ),
});

export const BrokerCheck = closed({ findings: Type.Array(BrokerFinding) }, { title: 'BrokerCheck' });
export type BrokerCheck = Static<typeof BrokerCheck>;
