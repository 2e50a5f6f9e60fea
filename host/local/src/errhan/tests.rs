use rankine_abi::{MPI_ERR_LASTCODE, MPI_ERR_RANK, MPI_ERR_TAG, MPI_MAX_ERROR_STRING, error_class_name};

use super::*;
use crate::testing::both;

#[test]
fn every_class_has_a_sentence_that_fits() {
    both(1, async |r| {
        for class in 0..2000 {
            let Some(name) = error_class_name(class) else { continue };
            let text = error_string(r, class).unwrap();
            assert!(text.starts_with(name) && text.len() < MPI_MAX_ERROR_STRING as usize, "{text}");
            assert!(class > 1000 || !text.contains("tools"), "{text}");
        }
    });
}

#[test]
fn the_programs_own_classes_and_codes() {
    both(1, async |r| {
        assert!(error_class(r, MPI_ERR_LASTCODE + 1).is_err());
        let class = add_error_class(r).unwrap();
        let code = add_error_code(r, class).unwrap();
        assert_eq!((class, code), (MPI_ERR_LASTCODE + 1, MPI_ERR_LASTCODE + 2));
        assert_eq!(r.last_used_code(), code);
        assert_eq!(error_string(r, code).unwrap(), "");
        add_error_string(r, code, "the pump has stopped").unwrap();
        assert_eq!(error_string(r, code).unwrap(), "the pump has stopped");
        assert_eq!(error_class(r, code).unwrap(), class);
        assert!(add_error_code(r, code).is_err() && add_error_string(r, MPI_ERR_RANK, "mine").is_err());
        assert!(remove_error_class(r, class).is_err() && remove_error_code(r, class).is_err());
        assert!(remove_error_code(r, code).is_err(), "it still has a string");
        remove_error_string(r, code).unwrap();
        remove_error_code(r, code).unwrap();
        remove_error_class(r, class).unwrap();
        assert!(error_class(r, class).is_err());
        assert!(add_error_class(r).unwrap() > code, "numbers are not used twice");
    });
}

#[test]
fn handlers_are_kept_while_an_object_uses_them() {
    both(1, async |r| {
        assert_eq!(get_errhandler(r, Comm::WORLD).unwrap(), Errhandler::ERRORS_ARE_FATAL);
        let handler = create_errhandler::<Comm>(r, FnPtr(7)).unwrap();
        let other = create_errhandler::<Win>(r, FnPtr(8)).unwrap();
        assert!(set_errhandler(r, Comm::WORLD, other).is_err());
        set_errhandler(r, Comm::WORLD, handler).unwrap();
        assert_eq!(errhandler_free(r, handler).unwrap(), Errhandler::NULL);
        assert!(errhandler_free(r, handler).is_err() && set_errhandler(r, Comm::SELF, handler).is_err());
        assert_eq!(r.errhandlers.handlers.function(handler), Some(FnPtr(7)));
        let again = get_errhandler(r, Comm::WORLD).unwrap();
        set_errhandler(r, Comm::WORLD, Errhandler::ERRORS_RETURN).unwrap();
        errhandler_free(r, again).unwrap();
        assert_eq!(r.errhandlers.handlers.function(handler), None);
        errhandler_free(r, other).unwrap();
        assert_eq!(r.errhandlers.handlers.count(), 0);
        assert!(errhandler_free(r, Errhandler::NULL).is_err());
        assert!(set_errhandler(r, File::NULL, Errhandler::ERRORS_ARE_FATAL).is_ok());
        assert!(get_errhandler(r, Session(9)).is_err());
    });
}

#[test]
fn errors_go_to_their_handler() {
    both(2, async |r| {
        r.enter("MPI_Send");
        let error = Error::new(MPI_ERR_TAG, "tag is -7");
        let raised = r.raise(On::Comm(Comm::WORLD), error.clone()).await;
        let text = format!("MPI_Send on rank {}: tag is -7 (MPI_ERR_TAG)", r.id());
        assert_eq!(raised, Raised::Fatal { code: MPI_ERR_TAG, text: text.clone() });
        set_errhandler(r, Comm::WORLD, Errhandler::ERRORS_RETURN).unwrap();
        assert_eq!(r.raise(On::Comm(Comm::WORLD), error.clone()).await, Raised::Code(MPI_ERR_TAG));
        assert!(error_string(r, MPI_ERR_TAG).unwrap().ends_with(&text));
        // As long as MPI_COMM_SELF has no handler of the program's, that of MPI_COMM_WORLD speaks for it.
        assert_eq!(r.raise(On::Myself, error.clone()).await, Raised::Code(MPI_ERR_TAG));
        assert_eq!(r.raise(On::Comm(Comm(12345)), error.clone()).await, Raised::Code(MPI_ERR_TAG));
        set_errhandler(r, Comm::SELF, Errhandler::ERRORS_ABORT).unwrap();
        assert!(matches!(r.raise(On::Myself, error.clone()).await, Raised::Fatal { .. }));
        assert_eq!(r.raise(On::File(File::NULL), error.clone()).await, Raised::Code(MPI_ERR_TAG));
        assert_eq!(r.raise(On::Nothing, error).await, Raised::Code(MPI_ERR_TAG));
    });
}
