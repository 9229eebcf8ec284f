export const mediumSwitch = `# Medium switch on OD: when the culture reaches a density, the alternative medium replaces the medium, once.
#
# Adapt:    switch_at: normalised density (1 is the density half an hour after the start). circulation_s: seconds of circulation.
# Needs:    calibrated alt_media and waste pumps. The pump runs for at most 85 % of circulation_s: 180 s at 5.5 mL/min are 14 mL,
#           one volume of the vial, which replaces 63 % of the medium (three volumes: 95 %). As many cells are washed out.
#           As much free waste volume as alternative medium.
# Measures: OD, growth rate before and after the switch, share of the alternative medium (a log entry), pumped volumes.
# Safe:     the waste pump runs all the time while medium comes in pulses.
experiment_profile_name: medium switch on OD
version: "1.0"
metadata:
  author: Leader Control Service
  description: Replaces the medium by the alternative medium when the culture reaches a density.
inputs: {temperature_c: 30, stir_rpm: 500, switch_at: 4, circulation_s: 180}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
    circulate_alt_media:
      actions:
        - type: when
          t: 1h
          wait_until: ::growth_rate_calculating:od_filtered.od_filtered >= switch_at
          actions:
            - {type: log, t: 0s, options: {message: "\${{ unit() }} reached \${{ switch_at }}: the medium is replaced."}}
            - {type: start, t: 1s, options: {duration: "\${{ circulation_s }}"}}
            - type: log
              t: 30m
              options:
                message: "\${{ unit() }}: the share of the alternative medium is \${{ ::bioreactor:alt_media_fraction }}."
`;
