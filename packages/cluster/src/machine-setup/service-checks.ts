import { setUpAgain } from './board-checks.ts';
import { advice, type Finding, fine, listed, problem, unknown } from './finding.ts';
import { type EnrolmentFacts, type MachineFacts, type MachineRole, type OwnService, roleHas } from './machine-facts.ts';
import { accessPointId, ownPaths } from './own-files.ts';
import { optionValue, runsWith } from './service-options.ts';
import { portOf } from './service-ports.ts';

/** Chosen: one restart may be an upgrade or a hand. */
const usualRestarts = 3;

/** The services of the role, their network, and the leader of a unit. */
export function serviceChecks(facts: MachineFacts, role: MachineRole | undefined): readonly Finding[] {
  if (role === undefined)
    return [
      problem(
        'no_role',
        'This machine is neither a leader nor a unit yet.',
        'Install the package lcs-leader or lcs-unit, then run lcs setup.',
      ),
    ];
  return [
    ...(roleHas(role, 'leader') ? service(facts, 'lcs-leader') : []),
    ...(roleHas(role, 'unit') ? service(facts, 'lcs-unit') : []),
    ...(roleHas(role, 'unit') ? others(facts) : []),
    mdns(facts),
    ...(roleHas(role, 'leader') ? announced(facts) : []),
    ...(roleHas(role, 'unit') ? [...leader(facts), ...enrolment(facts)] : []),
    ...wifi(facts),
  ];
}

function service(facts: MachineFacts, name: 'lcs-leader' | 'lcs-unit'): readonly Finding[] {
  const { isInstalled, isEnabled, state, restarts, processArguments } = facts.services[name];
  const log = `Read the reason: journalctl -u ${name} -n 50.`;
  if (!isInstalled)
    return [problem('service', `The service ${name} is not installed.`, `Install the package ${name}.`)];
  const findings: Finding[] = [];
  if (state === 'active') findings.push(fine('service', `The service ${name} runs.`));
  else findings.push(...portTaken(facts, name), problem('service', `The service ${name} does not run: ${state}.`, log));
  if (!isEnabled)
    findings.push(problem('service_enabled', `The service ${name} does not start by itself.`, setUpAgain));
  if (restarts > usualRestarts)
    findings.push(advice('service_restarts', `The service ${name} was restarted ${restarts} times.`, log));
  const words = (name === 'lcs-unit' ? facts.unitOptions : facts.leaderOptions)?.words;
  if (state === 'active' && words !== undefined && processArguments !== undefined && !runsWith(processArguments, words))
    findings.push(
      advice(
        'service_options',
        `The service ${name} runs with other options than its file has.`,
        `Run systemctl restart ${name}.`,
      ),
    );
  return findings;
}

/** A port that another program has while the service is down. */
function portTaken(facts: MachineFacts, name: OwnService): readonly Finding[] {
  const port = portOf(facts, name);
  const holder = facts.listeners.get(port);
  if (holder === undefined) return [];
  const by = holder === '' ? 'another program' : `the program ${holder}`;
  return [
    problem(
      'port_taken',
      `Port ${port} of ${name} is taken by ${by}.`,
      `Stop that program, or choose another port: --port in ${name === 'lcs-unit' ? '/etc/lcs/unit.env' : '/etc/lcs/leader.env'}.`,
    ),
  ];
}

function others({ otherServices }: MachineFacts): readonly Finding[] {
  if (otherServices.length === 0) return [];
  return [
    problem(
      'other_services',
      `Other services use the board: ${listed(otherServices)}. Two programs on one board switch outputs against each other.`,
      `Stop them for good: systemctl disable --now ${otherServices.join(' ')}.`,
    ),
  ];
}

function mdns({ hasMdnsDaemon, resolvesMdns }: MachineFacts): Finding {
  if (!hasMdnsDaemon)
    return advice(
      'mdns',
      'avahi-daemon does not run: names that end with .local are not found.',
      'Run apt-get install avahi-daemon, then systemctl enable --now avahi-daemon.',
    );
  if (!resolvesMdns)
    return advice(
      'mdns',
      'This machine does not look up names that end with .local.',
      'Run apt-get install libnss-mdns.',
    );
  return fine('mdns', 'Names that end with .local are found.');
}

function announced(facts: MachineFacts): readonly Finding[] {
  if (!facts.hasMdnsDaemon) return [];
  const { announcement, programVersion } = facts;
  const isNew =
    announcement?.includes(`<txt-record>version=${programVersion}</txt-record>`) &&
    announcement.includes(`<port>${portOf(facts, 'lcs-leader')}</port>`);
  if (isNew) return [fine('announced', 'Units find this leader in the network.')];
  return [
    advice(
      'announced',
      announcement === undefined
        ? 'This leader is not announced in the network: units need its address.'
        : 'The announcement of this leader is of another version or port.',
      setUpAgain,
    ),
  ];
}

function leader(facts: MachineFacts): readonly Finding[] {
  const { unitOptions, leaderAnswer, leaders, programVersion } = facts;
  if (facts.unreadableOptions.includes(ownPaths.unitOptions)) return [];
  const url = optionValue(unitOptions?.words ?? [], '--leader') ?? '';
  if (leaderAnswer === undefined)
    return [problem('leader', 'The options of the unit name no leader.', 'Run lcs setup --leader ADDRESS.')];
  if (leaderAnswer.kind === 'silent')
    return [
      problem(
        'leader',
        `The leader at ${url} does not answer: ${leaderAnswer.reason}.`,
        'Check that the leader is on and in the same network, and its address; the unit tries again by itself.',
      ),
    ];
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  const version = leaders?.find((found) => found.host === host)?.version;
  if (version !== undefined && version !== programVersion)
    return [
      advice(
        'leader_version',
        `The leader ${leaderAnswer.name} has version ${version}, this unit ${programVersion}.`,
        'Install the same version on both.',
      ),
    ];
  return [fine('leader', `The leader ${leaderAnswer.name} answers at ${url}.`)];
}

const refusals = {
  enrol_code_wrong: 'Make a new code on the leader (lcs units code), and run lcs setup --code CODE.',
  enrol_code_needed: 'Make a code on the leader (lcs units code), and run lcs setup --code CODE.',
  enrol_approval_needed:
    'Compare the fingerprint, then let the unit join: Inventory in the web UI, or lcs units approve on the leader.',
  unit_name_taken: 'Choose another name: lcs setup --name NAME.',
  foreign_leader:
    'To leave the former leader, make a code on the new one (lcs units code), and run lcs setup --release --code CODE.',
} satisfies Readonly<Record<string, string>>;

const remedyOf = (code: string): string =>
  Object.entries(refusals).find(([known]) => known === code)?.[1] ?? 'Do what the leader says, then restart lcs-unit.';

function enrolment(facts: MachineFacts): readonly Finding[] {
  const { isRoot, enrolment: last, boundLeader } = facts;
  if (last.kind === 'refused')
    return [
      problem('enrolment', `The leader does not accept this unit (${last.code}): ${last.reason}`, remedyOf(last.code)),
    ];
  if (isLeaderAnother(facts))
    return [
      problem(
        'enrolment',
        'Another leader than the one of this unit answers at its address (foreign_leader): its key differs.',
        refusals.foreign_leader,
      ),
    ];
  if (isEnrolled(last, boundLeader))
    return [fine('enrolment', `This unit has joined ${nameOfLeader(last, boundLeader)}.`)];
  if (!isRoot) return [];
  return [
    problem(
      'enrolment',
      `This unit has not joined a leader yet${last.kind === 'failed' ? `: ${last.reason}` : '.'}`,
      'Check the leader’s address; the unit tries again by itself. Its log: journalctl -u lcs-unit.',
    ),
  ];
}

/** A unit that runs asks its leader nothing: until its next start it does not know. */
const isLeaderAnother = ({ boundLeaderKey, leaderAnswer }: MachineFacts): boolean =>
  boundLeaderKey !== undefined &&
  leaderAnswer?.kind === 'answered' &&
  leaderAnswer.key !== undefined &&
  leaderAnswer.key !== boundLeaderKey;

const nameOfLeader = (last: EnrolmentFacts, bound: string | undefined): string =>
  last.kind === 'enrolled' ? last.leader : (bound ?? 'a leader');

/** The unit stays a member while its leader is away. */
export const isEnrolled = (last: EnrolmentFacts, bound: string | undefined): boolean =>
  last.kind !== 'refused' && (bound !== undefined || last.kind === 'enrolled');

function wifi(facts: MachineFacts): readonly Finding[] {
  if (facts.wirelessInterfaces.length === 0) return [];
  return [...accessPoint(facts), wifiPower(facts)];
}

function accessPoint({ accessPoint: name, activeConnections }: MachineFacts): readonly Finding[] {
  if (name === undefined) return [];
  if (activeConnections === undefined)
    return [
      unknown(
        'access_point',
        `It is unknown whether the wireless network ${name} is active: nmcli does not respond.`,
        'Read the reason: journalctl -u NetworkManager -n 50.',
      ),
    ];
  if (activeConnections.includes(accessPointId))
    return [fine('access_point', `This machine has the wireless network ${name}.`)];
  return [
    problem(
      'access_point',
      `The wireless network ${name} is set up, but not active.`,
      `Run lcs setup --access-point ${JSON.stringify(name)}. If that fails, read the reason: journalctl -u NetworkManager -n 50.`,
    ),
  ];
}

function wifiPower({ powerSaving }: MachineFacts): Finding {
  if (powerSaving === undefined)
    return unknown('wifi_power', 'It is unknown whether the radio pauses to save power.', 'Run apt-get install iw.');
  if (powerSaving.length === 0) return fine('wifi_power', 'The radio does not pause.');
  return advice(
    'wifi_power',
    `The radio of ${listed(powerSaving)} pauses to save power: commands arrive seconds late.`,
    'Run lcs setup, then start the computer again.',
  );
}
