import type { SelfTestName } from '../self-test/self-test.ts';

/** What a person can do when a check fails, by check: one or two sentences. */
export const selfTestAdvice: Readonly<Record<SelfTestName, string>> = {
  test_reactor_HAT_present:
    'Switch the unit off, press the board onto its connector, and switch it on again. The capabilities of the unit name the chip that does not answer.',
  test_all_positive_correlations_between_pds_and_leds:
    'Look whether LED and photodiodes are in the holes and channels that [leds] and [od_config.photodiode_channel] name, and whether their plugs sit firmly.',
  test_ambient_light_interference:
    'Close the lid, cover the vial, and take the unit out of bright light. A lamp that hums disturbs more than the sun.',
  test_dark_offset_correction_is_effective:
    'Close the lid and wait a minute. If it stays, a photodiode has a loose plug or the converter is noisy: change the cable first.',
  test_REF_is_lower_than_0_dot_256_volts:
    'Look whether the photodiode of the reference is plugged in and faces the LED. Change ir_led_intensity in [od_reading.config] when it is too bright or too dark.',
  test_REF_is_in_correct_position:
    'The reference sees the liquid: exchange the plugs of the reference and of the photodiode beside the vial, or correct [od_config.photodiode_channel]. Look whether a stir bar turns.',
  test_PD_is_near_0_volts_for_blank:
    'Fill the vial with clear medium, wipe it, and take care that no bubble sits at the glass. A scratched vial scatters too: take another one.',
  test_detect_heating_pcb:
    'Look whether the cable of the heater board is plugged in at both ends. Without its sensor the unit does not heat.',
  test_positive_correlation_between_temperature_and_heating:
    'Look whether the vial stands on the heater board, and whether the heater is plugged into the output that [PWM] labels heating. The supply must be on.',
  test_positive_correlation_between_rpm_and_stirring:
    'Look whether the stirrer turns freely, whether it is plugged into the output that [PWM] labels stirring, and whether its speed sensor is connected.',
  test_aux_power_is_not_too_high:
    'Switch the supply off at once and measure it: pumps, heater and stirrer may be damaged by what it gives.',
};
