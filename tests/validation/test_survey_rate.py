from tests.validation.survey_rate import Terms, survey_rate

MIB = 1024 * 1024


def test_the_lowest_ceiling_binds_unless_too_little_is_in_flight() -> None:
    terms = Terms(per_outstanding=400, group=1200 * MIB, slope=0.05)
    many = survey_rate("read", terms, groups=2, regions=2, outstanding_bytes=64 * MIB, others={"slot": 2000 * MIB})
    assert (round(many[0] / MIB), many[1]) == (2000, "slot")
    few = survey_rate("read", terms, groups=2, regions=2, outstanding_bytes=MIB, others={"slot": 2000 * MIB})
    assert (round(few[0] / MIB), few[1]) == (399, "queue")
    seeks = survey_rate("read", terms, groups=1, regions=21, outstanding_bytes=64 * MIB, others={})
    assert (round(seeks[0] / MIB), seeks[1]) == (600, "members")  # 1200 / (1 + 0.05 * 20)
