import { dayMs } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import type { BrokerFacts, EncryptionFacts, RightsFacts, ServiceFacts } from './broker-facts.ts';
import { brokerFindings } from './broker-findings.ts';

const nowMs = Date.UTC(2026, 10, 27);
const encryption: EncryptionFacts = { is: 'tls', version: 'TLSv1.3', validToMs: nowMs + 90 * dayMs };
const rights: RightsFacts = {
  unit: 'rx01',
  publishesOwn: true,
  receivesOwn: true,
  publishesForeign: false,
  receivesForeign: false,
  disconnects: false,
};
const service: ServiceFacts = {
  version: undefined,
  admitsStrangers: false,
  admitsWrongPassword: false,
  hasMqtt5: true,
  keepsRetained: true,
  session: 'kept',
  passesLargePayload: true,
  acknowledgementMs: 2,
  units: [{ unit: 'rx01', refusal: undefined, state: 'ready' }],
  rights,
};
const checked = (changes: Partial<ServiceFacts>, encrypted: EncryptionFacts = encryption): BrokerFacts => ({
  is: 'checked',
  encryption: encrypted,
  service: { ...service, ...changes },
});
const tls = (daysLeft: number) => checked({}, { ...encryption, validToMs: nowMs + daysLeft * dayMs });
const restarted = (changes: object): BrokerFacts => ({
  is: 'restarted',
  restart: { hasRestarted: true, session: 'kept', keepsRetained: true, ...changes },
});

/** What is not in order. */
const faults = (facts: BrokerFacts) =>
  brokerFindings(facts, nowMs)
    .filter(({ level }) => level !== 'ok')
    .map(({ level, code }) => `${level} ${code}`);

describe('findings about a broker', () => {
  it.each<[string, BrokerFacts, readonly string[]]>([
    ['an embedded broker', { is: 'embedded' }, []],
    ['no broker', { is: 'off' }, []],
    ['a broker in order', checked({}), []],
    ['nothing at the address', { is: 'unreachable', cause: 'x' }, ['problem broker_reached']],
    ['a certificate of nobody', { is: 'untrusted', cause: 'x', code: undefined }, ['problem broker_tls']],
    ['a wrong account', { is: 'refused', encryption, cause: 'x', hasAccount: true }, ['problem broker_account']],
    ['a missing account', { is: 'refused', encryption, cause: 'x', hasAccount: false }, ['problem broker_account']],
    ['another program', { is: 'silent', encryption, cause: 'x' }, ['problem broker_protocol']],
    ['no TLS on this machine', checked({}, { is: 'none', isLoopback: true }), []],
    ['no TLS on a network', checked({}, { is: 'none', isLoopback: false }), ['problem broker_tls']],
    ['a certificate that ends soon', tls(20), ['advice broker_tls']],
    ['a certificate that lasts', tls(22), []],
    ['any password', checked({ admitsWrongPassword: true }), ['problem broker_account']],
    ['no account', checked({ admitsWrongPassword: 'no account' }), ['problem broker_account']],
    ['strangers', checked({ admitsStrangers: true }), ['problem broker_anonymous']],
    ['no MQTT 5', checked({ hasMqtt5: false }), ['advice broker_protocol']],
    ['no retained messages', checked({ keepsRetained: false }), ['problem broker_retained']],
    ['no sessions', checked({ session: 'lost' }), ['problem broker_session']],
    ['empty sessions', checked({ session: 'incomplete' }), ['problem broker_session']],
    ['small messages only', checked({ passesLargePayload: false }), ['problem broker_message_size']],
    ['a slow broker', checked({ acknowledgementMs: 400 }), ['advice broker_latency']],
    ['a dead broker', checked({ acknowledgementMs: undefined }), ['problem broker_latency']],
    ['no unit', checked({ units: [], rights: undefined }), ['unknown broker_units']],
    [
      'an unknown unit',
      checked({ units: [{ unit: 'rx01', refusal: 'x', state: undefined }], rights: undefined }),
      ['problem broker_units'],
    ],
    [
      'a unit that is away',
      checked({ units: [{ unit: 'rx01', refusal: undefined, state: 'lost' }] }),
      ['advice broker_units_away'],
    ],
    [
      'a unit without rights',
      checked({ rights: { ...rights, publishesOwn: false, receivesOwn: false } }),
      ['problem broker_rights_publish', 'problem broker_rights_receive'],
    ],
    [
      'a unit with all rights',
      checked({ rights: { ...rights, publishesForeign: true, receivesForeign: true } }),
      ['problem broker_rights_publish', 'problem broker_rights_receive'],
    ],
    ['a strict broker', checked({ rights: { ...rights, disconnects: true } }), ['advice broker_disconnects']],
    ['a session before a restart', { is: 'prepared', isPrepared: true }, []],
    ['a session that was refused', { is: 'prepared', isPrepared: false }, ['problem broker_restart']],
    ['a restart that lost nothing', restarted({}), []],
    ['no restart', restarted({ hasRestarted: false }), ['problem broker_restart']],
    ['a lost session', restarted({ session: 'lost' }), ['problem broker_restart_session']],
    ['a lost message', restarted({ session: 'incomplete' }), ['problem broker_restart_session']],
    ['lost retained messages', restarted({ keepsRetained: false }), ['advice broker_restart_retained']],
  ])('%s', (_, facts, expected) => {
    expect(faults(facts)).toEqual(expected);
  });

  it('says what to do about each fault, and nothing where all is well', () => {
    const all = [tls(20), tls(90), restarted({ hasRestarted: false })].flatMap((facts) => brokerFindings(facts, nowMs));
    expect(all.every(({ level, remediation }) => (level === 'ok') === (remediation === undefined))).toBe(true);
  });

  it.each([
    ['CERT_HAS_EXPIRED', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /url/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /8883/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ])('names the remedy of %s', (code, remedy) => {
    expect(brokerFindings({ is: 'untrusted', cause: 'x', code }, nowMs).at(-1)?.remediation).toMatch(remedy);
  });
});
