import { dirname } from 'node:path';
import { foreignOverlays, type Outputs, outputsIn, outputsOverlay } from './config-txt.ts';
import { listed } from './finding.ts';
import type { MachineFacts } from './machine-facts.ts';
import { isAtLeast } from './tool-output.ts';

/** Of Raspberry Pi OS: the first kernel whose `pwm-gpio` makes several signals. */
export const leastKernel = [6, 6, 62] as const;

/** The compiled overlay in the package `lcs-unit`. */
export const packagedOverlay = `/usr/lib/lcs/overlays/${outputsOverlay}.dtbo`;

/** Where the firmware of the computer loads it from. */
export const overlayPathBeside = (configTxtPath: string): string =>
  `${dirname(configTxtPath)}/overlays/${outputsOverlay}.dtbo`;

/** Of the kernel; each may be built in. */
export const overlayModules = ['pwm-gpio', 'leds-pwm', 'ledtrig-pattern'] as const;

type Needed = Pick<MachineFacts, 'kernel' | 'configTxt' | 'outputsOverlay'>;

/** Why outputs cannot go off by themselves on this computer, in one sentence; undefined: they can. */
export function overlayUnfit({
  kernel,
  outputsOverlay: { packaged, missingModules, ownPins },
}: Needed): string | undefined {
  if (packaged === undefined) return `The package lcs-unit on this machine has no ${packagedOverlay}.`;
  if (!isAtLeast(kernel, leastKernel)) return `The kernel ${kernel} is older than ${leastKernel.join('.')}.`;
  if (missingModules.length > 0)
    return `The kernel ${kernel} has no ${missingModules.length === 1 ? 'module' : 'modules'} ${listed(missingModules)}.`;
  return ownPins === undefined ? undefined : `${ownPins} sets other pins than those of the overlay.`;
}

/** Lines of a person that take the same pins; empty: setup can replace all. */
export const overlayClashes = ({ configTxt }: Pick<Needed, 'configTxt'>): readonly string[] =>
  foreignOverlays(configTxt?.text ?? '');

/** What drives the outputs after setup: what a person asks for, what the file has, or else the overlay where it fits. */
export const outputsAfterSetup = (facts: Needed, asked: Outputs | undefined): Outputs =>
  asked ?? outputsIn(facts.configTxt?.text ?? '') ?? (overlayUnfit(facts) === undefined ? outputsOverlay : 'pwm');
