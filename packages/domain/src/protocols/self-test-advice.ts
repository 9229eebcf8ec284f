import type { SelfTestName } from '../self-test/self-test.ts';

/** The advice for each failed check: one or two sentences. */
export const selfTestAdvice: Readonly<Record<SelfTestName, string>> = {
  test_reactor_HAT_present:
    "Switch the unit off, press the board onto its connector, and switch the unit on again. The unit's capabilities name the chip that does not respond.",
  test_all_positive_correlations_between_pds_and_leds:
    'Check that the LED and the photodiodes are in the holes and channels that [leds] and [od_config.photodiode_channel] name, and that their plugs are firm.',
  test_ambient_light_interference:
    'Close the lid, cover the vial, and move the unit out of bright light. Flickering lamps disturb more than sunlight.',
  test_dark_offset_correction_is_effective:
    'Close the lid and wait a minute. If the check still fails, a photodiode has a loose plug or the converter is noisy: change the cable first.',
  test_REF_is_lower_than_0_dot_256_volts:
    'Check that the reference photodiode is plugged in and faces the LED. Change ir_led_intensity in [od_reading.config] if the LED is too bright or too dark.',
  test_REF_is_in_correct_position:
    'The reference photodiode faces the liquid: swap the plugs of the reference and of the photodiode next to the vial, or correct [od_config.photodiode_channel]. Check that a stir bar turns.',
  test_PD_is_near_0_volts_for_blank:
    'Fill the vial with clear medium, wipe it, and remove bubbles from the glass. A scratched vial scatters light too: use another one.',
  test_detect_heating_pcb:
    'Check that the cable of the heater board is plugged in at both ends. Without its sensor the unit does not heat.',
  test_positive_correlation_between_temperature_and_heating:
    'Check that the vial stands on the heater board, that the heater is plugged into the output that [PWM] labels heating, and that the supply is on.',
  test_positive_correlation_between_rpm_and_stirring:
    'Check that the stirrer turns freely, that it is plugged into the output that [PWM] labels stirring, and that its speed sensor is connected.',
  test_aux_power_is_not_too_high:
    'Switch the supply off at once and measure its voltage: it may damage pumps, heater and stirrer.',
};
