//! Means, standard deviations, quantiles and correlations compared with numpy, pandas and scipy.

use crate::stats::{CodedValues, Correlation, Undefined, correlation};

/// Asserts equality within rounding.
#[track_caller]
fn near(ours: Result<f64, Undefined>, theirs: f64) {
    let ours = ours.expect("a figure");
    assert!((ours - theirs).abs() < 1e-12, "{ours} and {theirs}");
}

#[test]
fn figures_of_numpy_and_pandas() {
    let nan = f64::NAN;
    for (values, mean, sd, population, quantiles) in [
        (
            &[0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0][..],
            2.375,
            1.597_989_808_656_935_3,
            1.494_782_592_887_674_8,
            [1.0, 2.5, 4.0, 4.0, 4.0],
        ),
        (
            &[-1.5, 0.25, 3.0, 0.25, nan, 7.125, -0.0],
            1.520_833_333_333_333_3,
            3.106_864_040_582_83,
            2.836_165_863_548_102_6,
            [0.0625, 0.25, 2.3125, 6.093_75, 6.918_750_000_000_001],
        ),
    ] {
        let of = CodedValues::of(values).distribution(None);
        assert_eq!(
            of.n() as usize,
            values.iter().filter(|value| !value.is_nan()).count()
        );
        near(of.mean(), mean);
        near(of.sd(), sd);
        near(of.population_sd(), population);
        for (share, theirs) in [0.25, 0.5, 0.75, 0.95, 0.99].into_iter().zip(quantiles) {
            near(of.quantile(share), theirs);
        }
    }
}

#[test]
fn what_there_is_too_little_of_has_no_figure() {
    let nothing = CodedValues::of(&[f64::NAN, f64::INFINITY]).distribution(None);
    assert_eq!(
        (nothing.mean(), nothing.sd()),
        (Err(Undefined::Nothing), Err(Undefined::Nothing))
    );
    assert_eq!(nothing.quantile(0.5), Err(Undefined::Nothing));
    assert_eq!((nothing.least(), nothing.n()), (Err(Undefined::Nothing), 0));
    let one = CodedValues::of(&[3.5]).distribution(None);
    assert_eq!((one.mean(), one.quantile(0.99)), (Ok(3.5), Ok(3.5)));
    assert_eq!(one.sd(), Err(Undefined::TooFew { have: 1, need: 2 }));
    assert_eq!(one.population_sd(), Ok(0.0));
}

#[test]
fn sizes_leave_the_sign_out() {
    let of = CodedValues::of(&[-2.0, -1.0, 0.0, 1.0, 1.0, -0.0]).distribution(None);
    let sizes: Vec<_> = of.absolute().each().collect();
    assert_eq!(sizes, [(0.0, 2), (1.0, 3), (2.0, 1)]);
    assert_eq!(
        (
            of.count(|value| value < 0.0),
            of.share(|value| value == 1.0)
        ),
        (2, Ok(2.0 / 6.0))
    );
}

#[test]
fn correlations_of_scipy_and_pandas() {
    let nan = f64::NAN;
    for (x, y, n, pearson, spearman) in [
        (
            &[0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0][..],
            &[1.0, 1.0, 2.0, 2.0, 5.0, 3.0, 4.0, 6.0][..],
            8,
            0.820_767_734_294_955,
            0.844_867_182_299_724_8,
        ),
        (
            &[-1.5, 0.25, 3.0, 0.25, nan, 7.125, -0.0],
            &[2.0, nan, 1.0, -4.0, 3.0, 0.5, 0.5],
            5,
            0.081_196_429_115_792_35,
            -0.359_092_423_229_803_95,
        ),
    ] {
        let [x, y] = [x, y].map(CodedValues::of);
        for [one, other] in [[&x, &y], [&y, &x]] {
            let found = correlation(one, other, None);
            assert_eq!(found.n, n);
            near(found.pearson, pearson);
            near(found.spearman, spearman);
        }
    }
}

#[test]
fn many_values_go_together_the_same_in_any_order_of_places() {
    let number = |place: u32| f64::from(place.wrapping_mul(7919) % 1009) / 7.0;
    let other = |place: u32| f64::from(place.wrapping_mul(104_729) % 2003) / 3.0 + number(place);
    let of = |places: &[u32]| {
        let one: Vec<_> = places.iter().map(|&place| number(place)).collect();
        let both: Vec<_> = places.iter().map(|&place| other(place)).collect();
        let [one, both] = [one, both].map(|numbers| CodedValues::of(&numbers));
        assert_eq!(correlation(&one, &one, None).pearson, Ok(1.0), "itself");
        correlation(&one, &both, None)
    };
    let mut places: Vec<u32> = (0..20_000).collect();
    let found = of(&places);
    places.rotate_left(777);
    places[5000..].reverse();
    assert_eq!(of(&places), found, "to the last bit");
}

#[test]
fn a_mask_leaves_places_out_and_ranks_are_those_of_the_rest() {
    let x = CodedValues::of(&[9.0, 1.0, 2.0, 3.0, -5.0]);
    let y = CodedValues::of(&[0.0, 1.0, 4.0, 9.0, 77.0]);
    let found = correlation(&x, &y, Some(&[false, true, true, true, false]));
    assert_eq!((found.n, found.spearman), (3, Ok(1.0)));
    near(found.pearson, 0.989_743_318_610_787);
    let none = correlation(&x, &y, Some(&[false; 5]));
    assert_eq!(none.pearson, Err(Undefined::TooFew { have: 0, need: 2 }));
}

#[test]
fn constant_columns_have_no_correlation() {
    let (same, other) = (
        // Their sum over six is not 0.1 to the last bit.
        CodedValues::of(&[0.1; 6]),
        CodedValues::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    );
    for found in [
        correlation(&same, &other, None),
        correlation(&other, &same, None),
    ] {
        let Correlation {
            n,
            pearson,
            spearman,
        } = found;
        assert_eq!(
            (n, pearson, spearman),
            (6, Err(Undefined::NoVariance), Err(Undefined::NoVariance))
        );
    }
    let equal = crate::stats::Distribution::new(vec![0.1], vec![6]);
    assert_eq!((equal.mean(), equal.sd()), (Ok(0.1), Ok(0.0)));
    assert_eq!(equal.population_sd(), Ok(0.0));
}

#[test]
fn many_different_values_are_reckoned_like_few() {
    // More combinations than fit in the table, and a permutation that ranking reverses.
    let places = 0..1_000_u32;
    let x: Vec<f64> = places
        .clone()
        .map(|place| f64::from(place * 7919 % 1000))
        .collect();
    let y: Vec<f64> = x.iter().map(|x| (x / 100.0).exp()).collect();
    let [x, y] = [x, y].map(|values| CodedValues::of(&values));
    assert!(x.values().len() * y.values().len() > 1 << 16);
    let found = correlation(&x, &y, None);
    near(found.spearman, 1.0);
    near(correlation(&x, &x, None).pearson, 1.0);
    assert!(found.pearson.expect("a figure") < 0.9);
}
