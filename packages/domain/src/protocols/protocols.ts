import type { CalibrationProtocol } from '@lcs/contract';
import { fusionOffsetProtocol } from './fusion-offset-protocol.ts';
import { fusionStandardsProtocol } from './fusion-standards-protocol.ts';
import { odBlankProtocol } from './od-blank-protocol.ts';
import { odStandardsProtocol } from './od-standards-protocol.ts';
import { primingProtocol } from './priming-protocol.ts';
import { deviceWords, type Protocol, type ProtocolFacts } from './protocol.ts';
import { pumpProtocol } from './pump-protocol.ts';
import { selfTestProtocol } from './self-test-protocol.ts';
import { stirringProtocol } from './stirring-protocol.ts';
import { temperatureProtocol } from './temperature-protocol.ts';

/** All built-in protocols to calibrate, prepare and check a unit. */
const protocols: readonly Protocol[] = [
  primingProtocol,
  pumpProtocol,
  stirringProtocol,
  temperatureProtocol,
  odBlankProtocol,
  odStandardsProtocol,
  fusionStandardsProtocol,
  fusionOffsetProtocol,
  selfTestProtocol,
];

/** The protocol of a name for a device of this unit; undefined: none. */
export const protocolFor = (device: string, name: string, facts: ProtocolFacts): Protocol | undefined =>
  protocols.find((protocol) => protocol.name === name && protocol.devices(facts).includes(device));

const orderOf = ({ target_device, priority, title }: CalibrationProtocol): string =>
  `${target_device}\n${String(priority).padStart(6, '0')}\n${title}`;

const withDevice = (text: string, device: string): string => text.replaceAll('{device}', deviceWords(device));

/** The protocols that are available on a unit, by device, priority and title. */
export const availableProtocols = (facts: ProtocolFacts): readonly CalibrationProtocol[] =>
  protocols
    .flatMap((protocol) =>
      protocol.devices(facts).map((device) => ({
        id: `${device}_${protocol.name}`,
        target_device: device,
        protocol_name: protocol.name,
        priority: protocol.priority,
        title: withDevice(protocol.title, device),
        description: withDevice(protocol.description, device),
        requirements: [...protocol.requirements],
      })),
    )
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
