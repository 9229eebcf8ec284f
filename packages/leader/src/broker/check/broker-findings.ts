import { type BrokerFinding, dayMs } from '@lcs/contract';
import {
  type BrokerFacts,
  type EncryptionFacts,
  largePayloadBytes,
  type RestartFacts,
  type RightsFacts,
  type ServiceFacts,
  type UnitFacts,
} from './broker-facts.ts';

const ok = (code: string, message: string): BrokerFinding => ({ code, level: 'ok', message });
const notOk =
  (level: Exclude<BrokerFinding['level'], 'ok'>) =>
  (code: string, message: string, remediation: string): BrokerFinding => ({ code, level, message, remediation });
const advice = notOk('advice');
const problem = notOk('problem');
const unknown = notOk('unknown');

/** Slower than this, commands by MQTT are noticeably late. */
const slowMs = 250;
/** As for the certificate of the leader. */
const warnBeforeMs = 21 * dayMs;

const listed = (names: readonly string[]): string => names.join(', ');

const accounts = 'Run lcs broker dynamic-security, give the file to the broker and restart it (docs/brokers.md).';

/** What to do about the certificate of a broker, by the code of OpenSSL or Node.js. */
function certificateRemedy(code: string | undefined): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'Renew the certificate of the broker; if it is valid, set the clock of this machine.';
    case 'CERT_NOT_YET_VALID':
      return 'Set the clock of this machine, or that of the machine that made the certificate.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Use a name of the certificate in [broker] url, or make a certificate for the name in it.';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'EPROTO':
    case 'ECONNRESET':
      return 'Check that the port in [broker] url is the one with TLS (usually 8883).';
    default:
      return 'Set NODE_EXTRA_CA_CERTS to the certificate of the authority in the environment of leader and units, then restart them.';
  }
}

function encryptionFindings(encryption: EncryptionFacts, nowMs: number): readonly BrokerFinding[] {
  if (encryption.is === 'none')
    return [
      encryption.isLoopback
        ? ok('broker_tls', 'The connection stays on this machine and needs no TLS.')
        : problem(
            'broker_tls',
            'Passwords and messages go over the network without encryption.',
            'Give the broker a listener with TLS and write mqtts:// into [broker] url.',
          ),
    ];
  const { version, validToMs } = encryption;
  const days = Math.floor((validToMs - nowMs) / dayMs);
  const what = `The certificate of the broker is trusted (${version})`;
  return [
    validToMs - nowMs < warnBeforeMs
      ? advice('broker_tls', `${what} and ends in ${days} days.`, 'Renew it and let the broker load it.')
      : ok('broker_tls', `${what} and is valid for another ${days} days.`),
  ];
}

function accountFindings({ admitsStrangers, admitsWrongPassword }: ServiceFacts): readonly BrokerFinding[] {
  return [
    admitsWrongPassword === 'no account'
      ? problem(
          'broker_account',
          'The leader has no account at the broker.',
          'Enter username and password in section [broker] of leader.ini.',
        )
      : admitsWrongPassword
        ? problem(
            'broker_account',
            'The broker accepts the account of the leader with any password.',
            'Make the broker check passwords: accounts have no effect.',
          )
        : ok('broker_account', 'The broker accepts the account of the leader, and refuses a wrong password.'),
    admitsStrangers
      ? problem(
          'broker_anonymous',
          'The broker admits clients without an account.',
          'Set allow_anonymous false in Mosquitto, or add an authenticator in EMQX.',
        )
      : ok('broker_anonymous', 'The broker refuses clients without an account.'),
  ];
}

function serviceFindings(service: ServiceFacts): readonly BrokerFinding[] {
  const { hasMqtt5, keepsRetained, session, passesLargePayload, acknowledgementMs } = service;
  return [
    hasMqtt5
      ? ok('broker_protocol', 'The broker has MQTT 3.1.1, which leader and units use, and MQTT 5.')
      : advice(
          'broker_protocol',
          'The broker has MQTT 3.1.1, which leader and units use, but not MQTT 5.',
          'Nothing, unless other programs need MQTT 5.',
        ),
    keepsRetained
      ? ok('broker_retained', 'The broker keeps retained messages.')
      : problem(
          'broker_retained',
          'The broker does not keep retained messages: new subscribers see no states and settings.',
          'Set retain_available true in Mosquitto, or enable retained messages in EMQX.',
        ),
    sessionFinding(session),
    passesLargePayload
      ? ok('broker_message_size', `The broker passes on messages of ${largePayloadBytes / 1024} KiB.`)
      : problem(
          'broker_message_size',
          `The broker does not pass on messages of ${largePayloadBytes / 1024} KiB.`,
          'Raise message_size_limit and max_packet_size in Mosquitto, or mqtt.max_packet_size in EMQX.',
        ),
    latencyFinding(acknowledgementMs),
  ];
}

function sessionFinding(session: ServiceFacts['session']): BrokerFinding {
  const raise = 'Set max_queued_messages to at least 1000 in Mosquitto, or check mqtt.max_mqueue_len in EMQX.';
  switch (session) {
    case 'kept':
      return ok(
        'broker_session',
        'The broker delivers messages of QoS 1 that arrived while a client was away (100 of 100).',
      );
    case 'incomplete':
      return problem(
        'broker_session',
        'The broker keeps sessions of clients, but not all of 100 messages that arrived while a client was away.',
        raise,
      );
    case 'lost':
      return problem(
        'broker_session',
        'The broker does not keep sessions of clients that are away.',
        'Allow sessions without clean start; check mqtt.session_expiry_interval in EMQX.',
      );
  }
}

function latencyFinding(acknowledgementMs: number | undefined): BrokerFinding {
  if (acknowledgementMs === undefined)
    return problem(
      'broker_latency',
      'The broker acknowledges no message within five seconds.',
      'Check the load of the broker and the network.',
    );
  const figure = `The broker acknowledges a message within ${Math.max(1, Math.round(acknowledgementMs))} ms.`;
  return acknowledgementMs > slowMs
    ? advice('broker_latency', figure, 'Check the network and the load of the broker: commands are noticeably late.')
    : ok('broker_latency', figure);
}

function unitFindings(units: readonly UnitFacts[]): readonly BrokerFinding[] {
  if (units.length === 0)
    return [
      unknown(
        'broker_units',
        'No unit has enrolled yet: accounts and rights of units were not checked.',
        'Run this check again after a unit has joined.',
      ),
    ];
  const refused = units.filter(({ refusal }) => refusal !== undefined).map(({ unit }) => unit);
  const absent = units.filter(({ refusal, state }) => refusal === undefined && state !== 'ready');
  return [
    refused.length > 0
      ? problem('broker_units', `The broker refuses the accounts of ${listed(refused)}.`, accounts)
      : ok('broker_units', `The broker accepts the accounts of ${listed(units.map(({ unit }) => unit))}.`),
    ...(absent.length === 0
      ? []
      : [
          advice(
            'broker_units_away',
            `Not connected to the broker: ${listed(absent.map(({ unit }) => unit))}.`,
            'If the unit is on: its log names the cause, usually NODE_EXTRA_CA_CERTS or a firewall.',
          ),
        ]),
  ];
}

function rightsFindings(rights: RightsFacts): readonly BrokerFinding[] {
  const { unit, publishesOwn, receivesOwn, publishesForeign, receivesForeign, disconnects } = rights;
  const rule = `Give the account unit:${unit} the rights of docs/brokers.md.`;
  return [
    !publishesOwn
      ? problem('broker_rights_publish', `The account of ${unit} may not publish its own topics.`, rule)
      : publishesForeign
        ? problem('broker_rights_publish', `The account of ${unit} may publish topics of other units.`, rule)
        : ok('broker_rights_publish', `The account of ${unit} may publish its own topics only.`),
    !receivesOwn
      ? problem('broker_rights_receive', `The account of ${unit} does not receive commands for it.`, rule)
      : receivesForeign
        ? problem('broker_rights_receive', `The account of ${unit} may read topics of other units.`, rule)
        : ok('broker_rights_receive', `The account of ${unit} may not read topics of other units.`),
    ...(disconnects
      ? [
          advice(
            'broker_disconnects',
            'The broker disconnects a client that publishes to a topic it may not.',
            'Remove max_queued_messages 0 (Mosquitto), or set authorization.deny_action = ignore (EMQX).',
          ),
        ]
      : []),
  ];
}

function restartFindings({ hasRestarted, session, keepsRetained }: RestartFacts): readonly BrokerFinding[] {
  if (!hasRestarted)
    return [
      problem(
        'broker_restart',
        'The broker has not restarted since --before-restart.',
        'Restart the broker, then run lcs doctor broker --after-restart again.',
      ),
    ];
  const persist = 'Set persistence true and a persistence_location that the broker may write (docs/brokers.md).';
  return [
    session === 'kept'
      ? ok('broker_restart_session', 'A session and its 100 messages survived the restart of the broker.')
      : problem(
          'broker_restart_session',
          session === 'lost'
            ? 'The session that --before-restart left is gone.'
            : 'The session survived the restart of the broker, but not all of its 100 messages.',
          persist,
        ),
    keepsRetained
      ? ok('broker_restart_retained', 'A retained message survived the restart of the broker.')
      : advice(
          'broker_restart_retained',
          'The retained message that --before-restart left is gone; leader and units publish theirs again.',
          persist,
        ),
  ];
}

/** What is in order with the broker and what is not, in the order in which it was found. */
export function brokerFindings(facts: BrokerFacts, nowMs: number): readonly BrokerFinding[] {
  switch (facts.is) {
    case 'embedded':
      return [ok('broker_mode', 'The broker is part of the leader: there is nothing to check.')];
    case 'off':
      return [ok('broker_mode', 'There is no broker ([broker] mode = off).')];
    case 'unreachable':
      return [
        problem(
          'broker_reached',
          `The broker cannot be reached: ${facts.cause}`,
          'Check that it runs, the address in [broker] url, and the firewall.',
        ),
      ];
    case 'untrusted':
      return [
        ok('broker_reached', 'The broker can be reached.'),
        problem(
          'broker_tls',
          `The certificate of the broker is not accepted: ${facts.cause}`,
          certificateRemedy(facts.code),
        ),
      ];
    case 'refused':
      return [
        ok('broker_reached', 'The broker can be reached.'),
        ...encryptionFindings(facts.encryption, nowMs),
        problem(
          'broker_account',
          `The broker refuses the ${facts.hasAccount ? 'account of the leader' : 'leader, which has no account'}: ${facts.cause}`,
          facts.hasAccount
            ? `Compare username and password in [broker] of leader.ini with those of the broker. ${accounts}`
            : 'Enter username and password in section [broker] of leader.ini.',
        ),
      ];
    case 'silent':
      return [
        ok('broker_reached', 'The broker can be reached.'),
        ...encryptionFindings(facts.encryption, nowMs),
        problem(
          'broker_protocol',
          `What answers at this address does not accept a connection with MQTT 3.1.1: ${facts.cause}`,
          'Check the port in [broker] url; with TLS it is usually 8883 and needs mqtts://.',
        ),
      ];
    case 'checked': {
      const { service, encryption } = facts;
      const { version, units, rights } = service;
      return [
        ok('broker_reached', `The broker can be reached${version === undefined ? '' : ` (${version})`}.`),
        ...encryptionFindings(encryption, nowMs),
        ...accountFindings(service),
        ...serviceFindings(service),
        ...unitFindings(units),
        ...(rights === undefined ? [] : rightsFindings(rights)),
      ];
    }
    case 'prepared':
      return [
        facts.isPrepared
          ? ok('broker_restart', 'Restart the broker now, then run lcs doctor broker --after-restart.')
          : problem(
              'broker_restart',
              'The broker did not accept the session that shall survive its restart.',
              'Run lcs doctor broker first.',
            ),
      ];
    case 'restarted':
      return restartFindings(facts.restart);
  }
}
